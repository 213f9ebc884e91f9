-- Which tasks for training have these environments?
-- $ids: list of ids of environments; the current ones when null [default null]
select
    tasks.environment_id,
    tasks.id,
    tasks.kind,
    tasks.gold_calls,
    tasks.requires_change,
    tasks.request
from latest_batches
join decisions on decisions.batch_id = latest_batches.id
join tasks on tasks.id = decisions.subject_id
where
    latest_batches.stage = 'synthesize'
    and decisions.subject_kind = 'task'
    and decisions.outcome = 'kept'
    and case
        when $ids::varchar[] is null
            then tasks.environment_id in (select environment_id from current_environments)
        else list_contains($ids::varchar[], tasks.environment_id)
    end
order by tasks.environment_id, latest_batches.subject_id, decisions.position;
