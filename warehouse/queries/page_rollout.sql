-- What is stored of one attempt, and what is the latest verdict on it?
-- $rollout: id of the rollout
select
    rollouts.id, rollouts.run_id, rollouts.policy_id, coalesce(rollouts.policy, '') as policy, rollouts.task_id,
    rollouts.environment_id, rollouts.attempt, rollouts.stop_reason, rollouts.answer, rollouts.state_diff,
    rollouts.started_at, rollouts.finished_at, latest_verdicts.outcome, latest_verdicts.results, latest_verdicts.detail
from rollouts
join latest_verdicts on latest_verdicts.rollout_id = rollouts.id
where rollouts.id = $rollout;
