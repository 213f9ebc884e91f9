-- What is the source of the tools of an environment?
-- $environment: id of the environment
select tool_modules.source
from latest_batches
join tool_modules on tool_modules.batch_id = latest_batches.id
where latest_batches.stage = 'build_tools' and latest_batches.subject_id = $environment;
