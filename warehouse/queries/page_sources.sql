-- Which files were these environments, or the versions that they grew from, made of?
-- $ids: list of ids of environments; the current ones when null [default null]
with recursive steps(environment_id, ancestor_id) as (
    select id, id
    from environments
    where
        case
            when $ids::varchar[] is null then id in (select environment_id from current_environments)
            else list_contains($ids::varchar[], id)
        end
    union
    select steps.environment_id, environments.parent_id
    from steps
    join environments on environments.id = steps.ancestor_id
    where environments.parent_id is not null
)
select distinct
    steps.environment_id,
    sources.package,
    sources.version,
    sources.file,
    sources.licence,
    sources.sha256,
    sources.bytes,
    sources.id
from steps
join lineage on lineage.child_kind = 'environment' and lineage.child_id = steps.ancestor_id
join sources on sources.id = lineage.parent_id
order by steps.environment_id, sources.file, sources.id;
