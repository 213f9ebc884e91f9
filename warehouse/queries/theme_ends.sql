-- When was each environment of one run through its last stage, in seconds after the first one began?
-- $run: id of the run
select subject_id as environment_id, round(finished_at - min(started_at) over (), 2) as through_s
from stage_runs
where run_id = $run
qualify stage = 'synthesize'
order by through_s, environment_id;
