-- How many calls do the current tasks take, by the shortest way found?
with measured as (
    select kind, coalesce((difficulty ->> '$.calls')::integer, gold_calls) as calls from current_tasks
)
select
    case
        when calls < 7 then '1 to 6'
        when calls < 11 then '7 to 10'
        when calls < 16 then '11 to 15'
        when calls < 25 then '16 to 24'
        when calls < 40 then '25 to 39'
        else '40 to 60'
    end as calls,
    count(*) as tasks,
    count(*) filter (where kind = 'graph') as graph,
    count(*) filter (where kind = 'programmatic') as programmatic,
    trim(bar(count(*), 0, max(count(*)) over (), 40)) as histogram
from measured
group by 1
order by min(measured.calls);
