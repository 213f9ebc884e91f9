-- Which rows break what tasks, families and snapshots are held to? DuckDB's keys refuse them; on DuckLake this must be empty.
with roles as (
    select environments.id as environment_id, family_roles.family, family_roles.role
    from environments
    join family_roles on family_roles.family = environments.theme_name
)
select 'a family with two roles' as violation, family as subject_id, string_agg(role, ', ' order by role) as detail
from family_roles
group by family
having count(*) > 1
union all
select 'an environment of two families', environment_id, string_agg(family, ', ' order by family)
from environment_families
group by environment_id
having count(*) > 1
union all
select 'a task of two pools or rounds', task_id, string_agg(pool || ' ' || round, ', ' order by pool, round)
from task_pools
group by task_id
having count(*) > 1
union all
select 'a holdout task of a family that is no holdout', task_pools.task_id, coalesce(roles.family, '')
from task_pools
left join roles on roles.environment_id = task_pools.environment_id
where task_pools.pool = 'holdout' and coalesce(roles.role, 'open') <> 'holdout'
union all
select 'a snapshot with a task that is not for training', snapshot_tasks.task_id, snapshot_tasks.snapshot_id
from snapshot_tasks
left join task_pools on task_pools.task_id = snapshot_tasks.task_id
where coalesce(task_pools.pool, '') <> 'training'
union all
select 'a snapshot with a task of a holdout family', snapshot_tasks.task_id, snapshot_tasks.snapshot_id
from snapshot_tasks
join tasks on tasks.id = snapshot_tasks.task_id
join roles on roles.environment_id = tasks.environment_id
where roles.role = 'holdout'
union all
select 'a snapshot with an environment of a holdout family', roles.environment_id, snapshot_environments.snapshot_id
from snapshot_environments
join roles on roles.environment_id = snapshot_environments.environment_id
where roles.role = 'holdout'
order by violation, subject_id, detail;
