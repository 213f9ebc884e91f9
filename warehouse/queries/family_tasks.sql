-- Which tasks were ever made for a family, in all its versions and pools, but for those of one environment, pool and round?
-- $family: name of the theme
-- $environment: id of the environment whose tasks of $pool and $round are left out; none are when null [default null]
-- $pool: pool of those [default "training"]
-- $round: round of those [default 0]
select
    tasks.id as task_id,
    coalesce(task_pools.pool, 'training') as pool,
    coalesce(task_pools.round, 0) as round
from tasks
join environments on environments.id = tasks.environment_id
left join task_pools on task_pools.task_id = tasks.id
where
    environments.theme_name = $family
    and (
        $environment::varchar is null
        or tasks.environment_id <> $environment
        or coalesce(task_pools.pool, 'training') <> $pool
        or coalesce(task_pools.round, 0) <> $round::integer
    )
order by tasks.id;
