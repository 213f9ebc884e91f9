-- How often does a policy pass the tasks of a round, by group of tasks? pass@k: any of k attempts does; pass^k: all do.
-- Rates are means over the tasks with at least k judged attempts, low and high Wilson's interval at 95 % with those tasks
-- as trials.
-- $policy: id or name of the policy
-- $round: round of the tasks; the latest that it was evaluated in when null [default null]
-- $pool: what the tasks are for: arena, holdout or training [default "arena"]
-- $by: what groups the tasks: all, level1, environment, kind, level or tool (of the gold run) [default "all"]
-- $ks: numbers of attempts [default [1]]
with tried as (
    select attempt_outcomes.*, max(attempt_outcomes.round) over (partition by attempt_outcomes.policy_id) as latest
    from attempt_outcomes
    left join policies on policies.id = attempt_outcomes.policy_id
    where attempt_outcomes.pool = $pool and $policy in (attempt_outcomes.policy_id, policies.name)
),
chosen as (
    select * from tried where round = coalesce($round::integer, latest)
),
grouped as (
    select
        policy_id,
        round,
        task_id,
        outcome,
        case $by
            when 'all' then 'all'
            when 'level1' then level1
            when 'environment' then theme_name
            when 'kind' then coalesce(kind, 'unknown')
            when 'level' then coalesce(level::varchar, 'unknown')
        end as group_name
    from chosen
    where $by <> 'tool'
    union all
    select chosen.policy_id, chosen.round, chosen.task_id, chosen.outcome, chosen.theme_name || '/' || used.tool
    from chosen
    join (select distinct task_id, tool from gold_steps) as used on used.task_id = chosen.task_id
    where $by = 'tool'
),
counted as (
    select
        policy_id,
        round,
        group_name,
        task_id,
        count(*) filter (where outcome <> 'error') as n,
        count(*) filter (where outcome = 'pass') as c,
        count(*) filter (where outcome = 'error') as errors
    from grouped
    group by policy_id, round, group_name, task_id
),
measures as (
    select measure, k
    from (values ('pass@'), ('pass^')) as kinds(measure)
    cross join (select distinct unnest($ks::integer[]) as k)
),
averaged as (
    select
        counted.policy_id,
        counted.round,
        counted.group_name,
        measures.measure,
        measures.k,
        sum(counted.n)::bigint as attempts,
        sum(counted.errors)::bigint as errors,
        count(*) filter (where counted.n >= measures.k) as tasks,
        avg(
            if(
                measures.measure = 'pass@',
                pass_at(counted.n, counted.c, measures.k),
                pass_hat(counted.n, counted.c, measures.k)
            )
        ) as rate
    from counted
    cross join measures
    group by counted.policy_id, counted.round, counted.group_name, measures.measure, measures.k
)
select
    policy_id,
    round,
    group_name,
    attempts,
    errors,
    measure || k as measure,
    tasks,
    rate,
    wilson_low(rate, tasks) as low,
    wilson_high(rate, tasks) as high
from averaged
order by policy_id, group_name, averaged.k, averaged.measure;
