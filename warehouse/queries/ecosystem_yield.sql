-- How complete are the current environments: tables, references, guarded writes, tools, formats, covered intents?
with covered as (
    select
        intents.environment_id,
        count(*) filter (where intents.covered) / count(*) as coverage
    from intents
    join latest_batches on latest_batches.id = intents.batch_id
    group by intents.environment_id
),
origins as (
    select
        environment_id,
        sum(table_rows) filter (where origin = 'mined') / sum(table_rows) as mined,
        sum(table_rows) filter (where origin = 'borrowed') / sum(table_rows) as borrowed
    from profiles
    group by environment_id
)
select
    current_environments.theme_name,
    environments.id as environment_id,
    themes.kind,
    environments.version,
    measures.tables,
    measures.fk_depth,
    measures.guarded_writes,
    measures.max_chain,
    measures.formats,
    measures.tools,
    measures.simple_tools,
    measures.rich_tools,
    measures.tables >= 3 and measures.fk_depth >= 1 and measures.guarded_writes >= 2 and measures.tools >= 8
        as complete,
    round(covered.coverage, 3) as intent_coverage,
    round(coalesce(origins.mined, 0), 3) as mined,
    round(coalesce(origins.borrowed, 0), 3) as borrowed
from current_environments
join environments on environments.id = current_environments.environment_id
join themes on themes.id = current_environments.theme_id
join measures on measures.environment_id = current_environments.environment_id
join latest_batches on latest_batches.id = measures.batch_id
left join covered on covered.environment_id = current_environments.environment_id
left join origins on origins.environment_id = current_environments.environment_id
where current_environments.state = 'accepted'
order by current_environments.theme_name;
