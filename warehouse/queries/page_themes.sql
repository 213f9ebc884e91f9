-- What came of each current theme: what was kept and refused, and why was the theme itself refused?
with refused as (
    select
        theme_name,
        count(*) filter (where subject_kind = 'tool') as tools_refused,
        count(*) filter (where subject_kind = 'task') as tasks_refused,
        max(reason) filter (where subject_kind in ('theme', 'environment')) as reason,
        max(detail) filter (where subject_kind in ('theme', 'environment')) as detail
    from current_decisions
    where outcome = 'rejected'
    group by theme_name
),
files as (
    select theme_id, count(*) as files, sum(bytes)::bigint as bytes
    from sources
    group by theme_id
),
grown as (
    select
        environment_ancestry.theme_name,
        list(
            {'version': environments.version, 'environment_id': environments.id, 'tables': measures.tables}
            order by environments.version
        ) as versions
    from environment_ancestry
    join environments on environments.id = environment_ancestry.ancestor_id
    left join (measures join latest_batches on latest_batches.id = measures.batch_id)
        on measures.environment_id = environments.id
    group by environment_ancestry.theme_name
)
select
    environment_statistics.theme_name,
    current_environments.theme_id,
    environment_statistics.environment_id,
    environment_statistics.state,
    themes.title,
    themes.kind,
    themes.package,
    themes.version as package_version,
    coalesce(files.files, 0) as files,
    coalesce(files.bytes, 0) as source_bytes,
    environment_statistics.archetype,
    coalesce(grown.versions, []) as versions,
    environment_statistics.world_tables,
    environment_statistics.world_rows,
    environment_statistics.tools,
    coalesce(refused.tools_refused, 0) as tools_refused,
    environment_statistics.tasks,
    coalesce(refused.tasks_refused, 0) as tasks_refused,
    environment_statistics.tasks_with_change,
    environment_statistics.mean_gold_calls,
    refused.reason,
    refused.detail
from environment_statistics
join current_environments on current_environments.theme_name = environment_statistics.theme_name
left join themes on themes.id = current_environments.theme_id
left join files on files.theme_id = current_environments.theme_id
left join grown on grown.theme_name = environment_statistics.theme_name
left join refused on refused.theme_name = environment_statistics.theme_name
order by environment_statistics.theme_name;
