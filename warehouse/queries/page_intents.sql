-- Which operations does the source of these environments name, and which kept tool does the same?
-- $ids: list of ids of environments; the current ones when null [default null]
select
    intents.environment_id,
    intents.operation,
    intents.verb,
    intents.entity,
    intents.tool,
    intents.parameters,
    intents.matched,
    intents.covered,
    intents.why
from intents
join latest_batches on latest_batches.id = intents.batch_id
where
    case
        when $ids::varchar[] is null then intents.environment_id in (select environment_id from current_environments)
        else list_contains($ids::varchar[], intents.environment_id)
    end
order by intents.environment_id, intents.position;
