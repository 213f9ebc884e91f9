-- What was refused on the way to these environments, and why?
-- $ids: list of ids of environments; the current ones when null [default null]
with refused as (
    select
        split_part(latest_batches.subject_id, '/', 1) as environment_id,  -- a round's is environment/pool/round
        rejections.stage,
        rejections.subject_kind,
        rejections.reason,
        rejections.detail
    from latest_batches
    join decisions on decisions.batch_id = latest_batches.id
    join rejections on rejections.id = decisions.rejection_id
    where latest_batches.stage in ('build_tools', 'synthesize')
)
select environment_id, stage, subject_kind, reason, count(*) as rejected, min(detail) as example
from refused
where
    case
        when $ids::varchar[] is null then environment_id in (select environment_id from current_environments)
        else list_contains($ids::varchar[], environment_id)
    end
group by environment_id, stage, subject_kind, reason
order by environment_id, rejected desc, stage, subject_kind, reason;
