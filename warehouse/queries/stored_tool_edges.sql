-- Which edges has the tool graph of an environment?
-- $environment: id of the environment
select
    tool_edges.source_tool, tool_edges.target_tool, tool_edges.kind, tool_edges.weight,
    tool_edges.parameter, tool_edges.domain
from latest_batches
join tool_edges on tool_edges.batch_id = latest_batches.id
where latest_batches.stage = 'build_tools' and latest_batches.subject_id = $environment
order by tool_edges.position;
