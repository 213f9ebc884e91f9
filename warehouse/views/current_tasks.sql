-- Which tasks do the current environments have?
create or replace view current_tasks as
select current_decisions.theme_name, current_decisions.position, tasks.*
from current_decisions
join tasks on tasks.id = current_decisions.subject_id
where current_decisions.subject_kind = 'task' and current_decisions.outcome = 'kept';
