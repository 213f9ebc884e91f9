-- Which tasks may a snapshot hold, and what is known of each to choose by?
-- $policy: id of the policy whose attempts count; none when null [default null]
with rates as (
    select task_id, count(*) as attempts, count(*) filter (where outcome = 'pass') as passed
    from attempt_outcomes
    where policy_id = $policy::varchar and outcome <> 'error'
    group by task_id
)
select
    training_tasks.id as task_id,
    training_tasks.environment_id,
    training_tasks.theme_name,
    environments.version,
    coalesce(current_classes.level1, 'unclassified') as level1,
    training_tasks.kind,
    training_tasks.shape,
    training_tasks.author,
    training_tasks.language,
    training_tasks.level,
    training_tasks.gold_calls,
    training_tasks.unique_tools,
    training_tasks.requires_change,
    training_tasks.assurance,
    training_tasks.traits,
    coalesce(rates.attempts, 0) as attempts,
    coalesce(rates.passed, 0) as passed,
    rates.passed / rates.attempts as pass_rate
from training_tasks
join environments on environments.id = training_tasks.environment_id
left join current_classes on current_classes.theme_name = training_tasks.theme_name
left join rates on rates.task_id = training_tasks.id
order by training_tasks.environment_id, training_tasks.id;
