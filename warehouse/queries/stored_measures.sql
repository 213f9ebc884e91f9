-- What does an environment measure, with the tools that count?
-- $environment: id of the environment
select
    measures.tables, measures.fk_depth, measures.guarded_writes, measures.max_chain, measures.formats,
    measures.tools, measures.simple_tools, measures.rich_tools
from measures
join latest_batches on latest_batches.id = measures.batch_id
where measures.environment_id = $environment;
