-- Which calls does the gold run of a task make, and what do they return?
-- $task: id of the task
select step, tool, arguments, observation
from gold_steps
where task_id = $task
order by step;
