-- Which current tasks may a policy be trained on: no practice, nothing that repeats another task or is like a benchmark?
create or replace view training_tasks as
select current_tasks.*
from current_tasks
where
    coalesce(current_tasks.level, 1) > 0
    and not exists (
        select 1 from flags where flags.subject_id in (current_tasks.id, current_tasks.environment_id)
    );
