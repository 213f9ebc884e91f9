-- How long did the last finished run that did work take, and what share was not work of a stage?
select run_id, wall_s, orchestration_share
from run_statistics
where built > 0 and outcome <> 'unfinished'
order by started_at desc, run_id
limit 1;
