-- What was refused on the way to these environments, and why?
-- $ids: list of ids of environments; the current ones when null [default null]
select
    latest_batches.subject_id as environment_id,
    rejections.stage,
    rejections.subject_kind,
    rejections.reason,
    count(*) as rejected,
    min(rejections.detail) as example
from latest_batches
join decisions on decisions.batch_id = latest_batches.id
join rejections on rejections.id = decisions.rejection_id
where
    case
        when $ids::varchar[] is null
            then latest_batches.subject_id in (select environment_id from current_environments)
        else list_contains($ids::varchar[], latest_batches.subject_id)
    end
group by latest_batches.subject_id, rejections.stage, rejections.subject_kind, rejections.reason
order by latest_batches.subject_id, rejected desc, rejections.stage, rejections.subject_kind, rejections.reason;
