-- How hard are the current tasks: the level measured, beside the one that was asked for?
select
    level,
    count(*) as tasks,
    count(*) filter (where level_asked = level) as as_asked,
    round(avg(coalesce((difficulty ->> '$.calls')::integer, gold_calls)), 1) as mean_calls,
    round(avg(unique_tools), 1) as mean_tools,
    trim(bar(count(*), 0, max(count(*)) over (), 24)) as histogram
from current_tasks
group by level
order by level;
