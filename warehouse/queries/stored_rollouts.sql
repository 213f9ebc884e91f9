-- What is stored of a policy's attempts at tasks? Those that count: of one that was made again, the latter.
-- $policy: id of the policy
-- $round: round of the tasks; all when null [default null]
-- $environment: id of the environment; all when null [default null]
-- $ids: list of ids of tasks; all when null [default null]
select
    rollouts.id, rollouts.run_id, rollouts.policy_id, coalesce(rollouts.policy, '') as policy, rollouts.task_id,
    rollouts.environment_id, rollouts.attempt, rollouts.stop_reason, rollouts.answer, rollouts.state_diff,
    rollouts.started_at, rollouts.finished_at, latest_verdicts.outcome, latest_verdicts.results, latest_verdicts.detail
from attempt_outcomes
join rollouts on rollouts.id = attempt_outcomes.rollout_id
join latest_verdicts on latest_verdicts.rollout_id = rollouts.id
where
    attempt_outcomes.policy_id = $policy
    and ($round::integer is null or attempt_outcomes.round = $round::integer)
    and ($environment::varchar is null or attempt_outcomes.environment_id = $environment)
    and ($ids::varchar[] is null or list_contains($ids::varchar[], attempt_outcomes.task_id))
order by rollouts.environment_id, rollouts.task_id, rollouts.attempt;
