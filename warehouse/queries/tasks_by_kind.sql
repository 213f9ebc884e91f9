-- How many current tasks are there of each kind, and how long are they?
select
    kind,
    count(*) as tasks,
    count(*) filter (where requires_change) as tasks_with_change,
    round(avg(gold_calls), 2) as mean_gold_calls
from current_tasks
group by kind
order by kind;
