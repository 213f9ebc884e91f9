-- Which current tasks may a policy be trained on, practice too: nothing that repeats another task or is like a benchmark,
-- nothing that policies are evaluated on, nothing of a holdout family, nothing from a withdrawn source, nothing that a person rejected?
create or replace view trainable_tasks as
select current_tasks.*
from current_tasks
where
    not exists (
        select 1 from flags where flags.subject_id in (current_tasks.id, current_tasks.environment_id)
    )
    and not exists (
        select 1 from task_pools where task_pools.task_id = current_tasks.id and task_pools.pool <> 'training'
    )
    and not exists (
        select 1
        from family_roles
        where family_roles.family = current_tasks.theme_name and family_roles.role = 'holdout'
    )
    and current_tasks.environment_id not in (select environment_id from withdrawn_environments)
    and current_tasks.id not in (select task_id from current_reviews where verdict = 'rejected');
