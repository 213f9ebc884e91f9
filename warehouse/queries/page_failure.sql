-- Why did one attempt fail, by the latest diagnosis?
-- $rollout: id of the rollout
select rollout_id, task_id, environment_id, cause, step, gold_step, tool, evidence
from current_failures
where rollout_id = $rollout;
