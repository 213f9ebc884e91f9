-- What is the source of the tools of an environment?
-- $environment: id of the environment
select string_agg(text_parts.part, '' order by text_parts.position) as source
from latest_batches
join tool_modules on tool_modules.batch_id = latest_batches.id
join text_parts on text_parts.text_id = tool_modules.text_id
where latest_batches.stage = 'build_tools' and latest_batches.subject_id = $environment
group by tool_modules.id;
