-- Which tasks should a person look at first: which may be wrong themselves, by what policies did at them?
-- same_wrong: share of judged attempts that give one and the same wrong answer, where two or more do; unpassed: share of
-- attempts that pass the other tasks of its level in its environment, where none passes it; both count in full from four
-- judged attempts on. unproven: nothing confirms what its request says. doubt is the chance that one of them is right, if
-- each is a chance of its own: 1 - (1 - same_wrong) (1 - unpassed) (1 - unproven / 4).
-- $most: how many, the most doubtful first [default 10]
with judged as (
    select
        attempt_outcomes.task_id,
        attempt_outcomes.environment_id,
        attempt_outcomes.theme_name,
        attempt_outcomes.pool,
        attempt_outcomes.level,
        attempt_outcomes.policy_id,
        attempt_outcomes.outcome,
        rollouts.answer,
        -- Equal objects differ in the order of their keys.
        if(
            json_type(rollouts.answer) = 'OBJECT',
            list_sort([
                key || ':' || (rollouts.answer -> ('/' || replace(replace(key, '~', '~0'), '/', '~1')))::varchar
                for key in json_keys(rollouts.answer)
            ])::varchar,
            rollouts.answer::varchar
        ) as form
    from attempt_outcomes
    join rollouts on rollouts.id = attempt_outcomes.rollout_id
    where attempt_outcomes.outcome <> 'error'
),
tried as (
    select
        task_id,
        any_value(environment_id) as environment_id,
        any_value(level) as level,
        count(*) as attempts,
        count(*) filter (where outcome = 'pass') as passed
    from judged
    group by task_id
),
wrong as (
    select
        task_id,
        form,
        any_value(answer) as answer,
        count(*) as attempts,
        count(distinct policy_id) as policies
    from judged
    where outcome = 'fail' and answer is not null
    group by task_id, form
    qualify row_number() over (partition by task_id order by count(*) desc, count(distinct policy_id) desc, form) = 1
),
levels as (
    select environment_id, level, sum(attempts) as attempts, sum(passed) as passed
    from tried
    group by environment_id, level
),
looked_at as (
    select id, environment_id, 'training' as pool from current_tasks
    union
    select judged.task_id, judged.environment_id, judged.pool from judged
),
parts as (
    select
        looked_at.id as task_id,
        looked_at.pool,
        coalesce(tried.attempts, 0) as attempts,
        coalesce(tried.passed, 0) as passed,
        if(wrong.attempts >= 2, wrong.attempts, 0) as wrong_attempts,
        wrong.policies,
        wrong.answer,
        least(coalesce(tried.attempts, 0) / 4, 1) as weight,
        if(wrong.attempts >= 2, wrong.attempts / tried.attempts, 0) as same_wrong,
        if(tried.passed = 0, coalesce(levels.passed / nullif(levels.attempts - tried.attempts, 0), 0), 0) as unpassed,
        (tasks.assurance is null)::integer as unproven,
        environments.theme_name,
        tasks.level,
        tasks.request
    from looked_at
    join tasks on tasks.id = looked_at.id
    left join environments on environments.id = tasks.environment_id
    left join tried on tried.task_id = looked_at.id
    left join wrong on wrong.task_id = looked_at.id
    left join levels on levels.environment_id = tried.environment_id and levels.level is not distinct from tried.level
    where looked_at.id not in (select task_id from current_reviews)
),
doubted as (
    select *, 1 - (1 - same_wrong * weight) * (1 - unpassed * weight) * (1 - unproven / 4) as doubt from parts
)
select
    task_id,
    theme_name,
    pool,
    level,
    round(doubt, 3) as doubt,
    concat_ws(
        '; ',
        if(same_wrong > 0, wrong_attempts || ' of ' || attempts || ' attempts give the same wrong answer', null),
        if(unpassed > 0, 'none of ' || attempts || ' passes, ' || round(100 * unpassed)::integer || ' % do at others of its level', null),
        if(unproven = 1, 'nothing confirms what it says', null)
    ) as why,
    round(same_wrong, 3) as same_wrong,
    round(unpassed, 3) as unpassed,
    unproven,
    attempts,
    passed,
    policies as wrong_policies,
    answer as wrong_answer,
    request
from doubted
where doubt > 0
order by doubted.doubt desc, attempts desc, task_id
limit $most::bigint;
