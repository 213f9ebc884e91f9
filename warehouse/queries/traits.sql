-- What do the gold runs of the current tasks show, and what share of all tasks does?
select
    trait,
    count(*) as tasks,
    round(count(*) / (select count(*) from current_tasks), 3) as share
from (select unnest(traits) as trait from current_tasks)
group by trait
order by trait;
