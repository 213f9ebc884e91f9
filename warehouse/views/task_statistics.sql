-- How long and how varied are the current tasks, by environment and kind?
create or replace view task_statistics as
select
    theme_name,
    environment_id,
    kind,
    count(*) as tasks,
    count(*) filter (where requires_change) as tasks_with_change,
    count(distinct shape) as shapes,
    min(gold_calls) as fewest_gold_calls,
    round(avg(gold_calls), 2) as mean_gold_calls,
    max(gold_calls) as most_gold_calls,
    round(avg(unique_tools), 2) as mean_unique_tools,
    round(avg(length(request)), 0)::integer as mean_request_characters
from current_tasks
group by theme_name, environment_id, kind
order by theme_name, kind;
