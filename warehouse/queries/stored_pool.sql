-- Which tasks of these pools were made for a round, by the latest batch of each environment? Rejected ones are left out.
-- $pools: list of pools
-- $round: round
-- $environment: id of the environment; all when null [default null]
select distinct task_pools.task_id
from task_pools
join decisions on decisions.subject_id = task_pools.task_id
join latest_batches on latest_batches.id = decisions.batch_id
where
    decisions.subject_kind = 'task'
    and decisions.outcome = 'kept'
    and list_contains($pools::varchar[], task_pools.pool)
    and task_pools.round = $round::integer
    and ($environment::varchar is null or task_pools.environment_id = $environment)
    and task_pools.task_id not in (select task_id from current_reviews where verdict = 'rejected')
order by task_pools.task_id;
