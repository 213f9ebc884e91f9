-- In which environments was a round's fresh task made, of which pool, by which batch, and how many?
-- $round: number of the round
select
    task_pools.pool,
    environments.theme_name,
    environments.theme_id,
    environments.id as environment_id,
    environments.version,
    max_by(decisions.batch_id, decisions.created_at) as batch_id,
    count(distinct tasks.id) as tasks
from task_pools
join tasks on tasks.id = task_pools.task_id
join environments on environments.id = tasks.environment_id
join decisions on decisions.subject_kind = 'task' and decisions.subject_id = tasks.id
where task_pools.round = $round::integer and task_pools.pool in ('arena', 'holdout')
group by task_pools.pool, environments.theme_name, environments.theme_id, environments.id, environments.version
order by task_pools.pool, environments.theme_name, environments.id;
