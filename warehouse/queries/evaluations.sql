-- Which policies were evaluated, in which round and pool, and how often do they pass? The latest first.
with tried as (
    select
        policy_id,
        round,
        pool,
        task_id,
        count(*) filter (where outcome <> 'error') as attempts,
        count(*) filter (where outcome = 'pass') as passed,
        count(*) filter (where outcome = 'error') as errors,
        max(finished_at) as finished_at
    from attempt_outcomes
    group by policy_id, round, pool, task_id
)
select
    tried.policy_id,
    coalesce(policies.name, tried.policy_id) as policy,
    policies.kind,
    policies.model,
    tried.round,
    tried.pool,
    count(*) as tasks,
    sum(tried.attempts)::bigint as attempts,
    sum(tried.errors)::bigint as errors,
    round(avg(tried.passed / nullif(tried.attempts, 0)), 4) as pass_at_1
from tried
left join policies on policies.id = tried.policy_id
group by all
order by max(tried.finished_at) desc, tried.round desc, tried.pool, tried.policy_id;
