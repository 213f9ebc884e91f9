-- Which tasks may a snapshot hold, and what is known of each to choose by?
-- $policy: id of the policy whose attempts count; none when null [default null]
-- $practice: whether tasks of one or two calls are among them; not when null [default null]
with rates as (
    select task_id, count(*) as attempts, count(*) filter (where outcome = 'pass') as passed
    from attempt_outcomes
    where policy_id = $policy::varchar and outcome <> 'error'
    group by task_id
)
select
    trainable_tasks.id as task_id,
    trainable_tasks.environment_id,
    trainable_tasks.theme_name,
    environments.version,
    coalesce(current_classes.level1, 'unclassified') as level1,
    trainable_tasks.kind,
    trainable_tasks.shape,
    trainable_tasks.author,
    trainable_tasks.language,
    trainable_tasks.level,
    trainable_tasks.gold_calls,
    trainable_tasks.unique_tools,
    trainable_tasks.requires_change,
    trainable_tasks.assurance,
    trainable_tasks.traits,
    coalesce(rates.attempts, 0) as attempts,
    coalesce(rates.passed, 0) as passed,
    rates.passed / rates.attempts as pass_rate
from trainable_tasks
join environments on environments.id = trainable_tasks.environment_id
left join current_classes on current_classes.theme_name = trainable_tasks.theme_name
left join rates on rates.task_id = trainable_tasks.id
where coalesce(trainable_tasks.level, 1) > 0 or coalesce($practice::boolean, false)
order by trainable_tasks.environment_id, trainable_tasks.id;
