-- Which files were these environments made from?
-- $ids: list of ids of environments; the current ones when null [default null]
select
    lineage.child_id as environment_id,
    sources.package,
    sources.version,
    sources.file,
    sources.licence,
    sources.sha256,
    sources.bytes
from lineage
join sources on sources.id = lineage.parent_id
where
    lineage.child_kind = 'environment'
    and case
        when $ids::varchar[] is null
            then lineage.child_id in (select environment_id from current_environments)
        else list_contains($ids::varchar[], lineage.child_id)
    end
order by lineage.child_id, sources.file, sources.id;
