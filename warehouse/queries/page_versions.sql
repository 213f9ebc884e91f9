-- By which versions did these environments grow: what does each measure, and what did the round to it add?
-- $ids: list of ids of environments; the current ones when null [default null]
with recursive steps(environment_id, ancestor_id) as (
    select id, id
    from environments
    where
        case
            when $ids::varchar[] is null then id in (select environment_id from current_environments)
            else list_contains($ids::varchar[], id)
        end
    union
    select steps.environment_id, environments.parent_id
    from steps
    join environments on environments.id = steps.ancestor_id
    where environments.parent_id is not null
)
select
    steps.environment_id,
    environments.version,
    environments.id as version_id,
    measures.tables,
    measures.fk_depth,
    measures.guarded_writes,
    measures.max_chain,
    measures.formats,
    measures.tools,
    coalesce(rounds.additions, []) as additions
from steps
join environments on environments.id = steps.ancestor_id
left join (measures join latest_batches on latest_batches.id = measures.batch_id)
    on measures.environment_id = environments.id
left join rounds on rounds.environment_id = environments.id and rounds.accepted
qualify row_number() over (partition by steps.environment_id, environments.id order by rounds.created_at desc) = 1
order by steps.environment_id, environments.version;
