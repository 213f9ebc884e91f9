-- Which themes did a flow's latest completed run come to the end of, with what parameters?
-- $flow: the flow's name [default "expand"]
with latest as (
    select runs.run_id, runs.parameters, runs.seed
    from runs
    join run_ends on run_ends.run_id = runs.run_id
    where runs.flow = $flow and run_ends.outcome = 'completed'
    order by runs.started_at desc, runs.run_id
    limit 1
)
select run_environments.theme_id, latest.parameters, latest.seed
from latest
join run_environments on run_environments.run_id = latest.run_id
order by run_environments.theme_id;
