-- How many calls do the current tasks take, by the shortest way found?
with measured as (
    select kind, coalesce((difficulty ->> '$.calls')::integer, gold_calls) as calls from current_tasks
)
select
    case
        when calls < 7 then '1–6'
        when calls < 11 then '7–10'
        when calls < 16 then '11–15'
        when calls < 25 then '16–24'
        when calls < 40 then '25–39'
        else '40–60'
    end as calls,
    count(*) as tasks,
    count(*) filter (where kind = 'graph') as graph,
    count(*) filter (where kind = 'programmatic') as programmatic,
    trim(bar(count(*), 0, max(count(*)) over (), 24)) as histogram
from measured
group by 1
order by min(measured.calls);
