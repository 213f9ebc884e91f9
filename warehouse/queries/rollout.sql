-- What did a policy do in one attempt, step by step?
-- $rollout: id of the rollout
select step, kind, content, tool, arguments, observation
from rollout_steps
where rollout_id = $rollout
order by step;
