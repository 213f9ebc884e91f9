-- What came of each attempt of a policy at a task? pass or fail; error where nobody could judge what the policy can do.
-- An attempt that was made again after an error counts once, as what came of it then; at a task that a person rejected,
-- none counts.
create or replace view attempt_outcomes as
with judged as (
    select
        rollouts.id as rollout_id,
        rollouts.policy_id,
        rollouts.task_id,
        rollouts.environment_id,
        rollouts.attempt,
        rollouts.stop_reason,
        rollouts.calls,
        rollouts.finished_at,
        if(rollouts.stop_reason = 'policy_failed', 'error', coalesce(latest_verdicts.outcome, 'error')) as outcome
    from rollouts
    left join latest_verdicts on latest_verdicts.rollout_id = rollouts.id
    where rollouts.task_id not in (select task_id from current_reviews where verdict = 'rejected')
)
select
    judged.*,
    coalesce(task_pools.pool, 'training') as pool,
    coalesce(task_pools.round, 0) as round,
    tasks.kind,
    tasks.level,
    coalesce(environments.theme_name, judged.environment_id) as theme_name,
    coalesce(current_classes.level1, 'unclassified') as level1
from judged
left join task_pools on task_pools.task_id = judged.task_id
left join tasks on tasks.id = judged.task_id
left join environments on environments.id = judged.environment_id
left join current_classes on current_classes.theme_name = environments.theme_name
qualify row_number() over (
    partition by judged.policy_id, judged.task_id, judged.attempt
    order by judged.outcome = 'error', judged.finished_at, judged.rollout_id
) = 1;
