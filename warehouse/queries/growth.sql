-- How did the current environments grow: what does each version measure?
select
    environment_ancestry.theme_name,
    environments.version,
    measures.tables,
    measures.fk_depth,
    measures.guarded_writes,
    measures.max_chain,
    len(measures.formats) as formats,
    measures.tools,
    measures.simple_tools,
    measures.rich_tools
from environment_ancestry
join environments on environments.id = environment_ancestry.ancestor_id
join measures on measures.environment_id = environments.id
join latest_batches on latest_batches.id = measures.batch_id
order by environment_ancestry.theme_name, environments.version;
