-- Which edges has the tool graph of an environment? The graph is complete: pairs that are not stored are independent.
-- $environment: id of the environment
with batch as (
    select id from latest_batches where stage = 'build_tools' and subject_id = $environment
),
kept as (
    select tools.name
    from batch
    join decisions on decisions.batch_id = batch.id
    join tools on tools.id = decisions.subject_id
    where decisions.outcome = 'kept' and decisions.subject_kind = 'tool'
),
stored as (
    select source_tool, target_tool, kind, weight, parameter, domain, author
    from batch
    join tool_edges on tool_edges.batch_id = batch.id
)
select * from stored
union all by name
select source.name as source_tool, target.name as target_tool, 'independent' as kind, 1 as weight, 'rules' as author
from kept as source
join kept as target on source.name <> target.name
anti join stored on stored.source_tool = source.name and stored.target_tool = target.name
order by source_tool, target_tool, parameter nulls first;
