-- How often do the gold runs of the current tasks call each tool, and in how many tasks?
select
    current_tools.theme_name,
    current_tools.name as tool,
    current_tools.read_only,
    count(gold_steps.id) as calls,
    count(distinct gold_steps.task_id) as tasks
from current_tools
left join current_tasks on current_tasks.environment_id = current_tools.environment_id
left join gold_steps on gold_steps.task_id = current_tasks.id and gold_steps.tool = current_tools.name
group by current_tools.theme_name, current_tools.name, current_tools.read_only
order by current_tools.theme_name, calls desc, tool;
