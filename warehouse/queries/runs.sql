-- Which runs were there, how long did they take, and what share was not work of a stage?
-- $count: how many rows, the latest first [default 10]
select
    run_id, flow, outcome, built,
    round(wall_s, 2) as wall_s,
    round(stage_s, 2) as stage_s,
    round(orchestration_share, 3) as orchestration_share
from run_statistics
order by started_at desc, run_id
limit $count::bigint;
