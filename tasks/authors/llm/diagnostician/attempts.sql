-- What came of each attempt of policy $policy_id that counts, at the arena's tasks of round $round (null: at all tasks)?
-- One whose endpoint failed, that has no verdict or whose latest verdict is an error says nothing of the policy.
with latest as (
    select rollout_id, outcome, detail
    from verdicts
    where rollout_id is not null
    qualify row_number() over (partition by rollout_id order by created_at desc, id desc) = 1
)
select
    rollouts.id as rollout_id,
    rollouts.environment_id,
    coalesce(environments.theme_name, '') as theme_name,
    rollouts.task_id,
    tasks.kind,
    tasks.shape,
    tasks.gold_calls,
    tasks.requires_change,
    rollouts.stop_reason,
    rollouts.calls,
    latest.outcome,
    latest.detail
from rollouts
join latest on latest.rollout_id = rollouts.id
left join tasks on tasks.id = rollouts.task_id
left join environments on environments.id = rollouts.environment_id
where rollouts.policy_id = $policy_id
    and rollouts.stop_reason <> 'policy_failed'
    and latest.outcome in ('pass', 'fail')
    and ($round::integer is null or rollouts.task_id in (
        select task_id from task_pools where pool = 'arena' and round = $round::integer
    ))
order by rollouts.id
