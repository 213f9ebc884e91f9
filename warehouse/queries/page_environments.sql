-- What does a page tell of these environments and their themes?
-- $ids: list of ids of environments; the current ones when null [default null]
with chosen as (
    select environments.*, current_environments.state
    from environments
    left join current_environments on current_environments.environment_id = environments.id
    where
        case
            when $ids::varchar[] is null then current_environments.environment_id is not null
            else list_contains($ids::varchar[], environments.id)
        end
), described as (
    select text_id, string_agg(part, '' order by position)::json as text
    from text_parts
    where text_id in (select text_id from chosen)
    group by text_id
)
select
    environments.theme_name,
    environments.id as environment_id,
    environments.version,
    coalesce(environments.state, 'superseded') as state,
    environments.author,
    environments.seed,
    environments.archetype,
    described.text -> '$.operations' as operations,
    described.text -> '$.documents' as documents,
    environments.world_sha256,
    environments.world_bytes,
    environments.clock_start,
    described.text -> '$.profile' as profile,
    themes.title,
    themes.description,
    themes.kind,
    themes.package,
    themes.version as package_version,
    themes.licence,
    current_classes.level1,
    current_classes.level2,
    current_classes.confidence,
    current_classes.runner_up,
    current_classes.author as classified_by
from chosen as environments
left join described on described.text_id = environments.text_id
left join themes on themes.id = environments.theme_id
left join current_classes on current_classes.theme_name = environments.theme_name
order by environments.theme_name, environments.id;
