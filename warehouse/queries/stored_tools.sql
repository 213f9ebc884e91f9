-- Which tools did the gate keep in the latest batch of an environment, current or not?
-- $environment: id of the environment
select
    tools.id, tools.name, tools.description, tools.operation, tools.read_only,
    tools.input_schema, tools.output_schema, tools.intent, tools.author
from latest_batches
join decisions on decisions.batch_id = latest_batches.id
join tools on tools.id = decisions.subject_id
where latest_batches.stage = 'build_tools'
    and latest_batches.subject_id = $environment
    and decisions.subject_kind = 'tool'
    and decisions.outcome = 'kept'
order by decisions.position;
