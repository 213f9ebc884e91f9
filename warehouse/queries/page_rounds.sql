-- Which rounds over these environments and the versions before them were refused, why, and with which figures?
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
    rounds.number,
    rounds.reason,
    rounds.detail,
    rounds.additions,
    rounds.measured_before,
    rounds.measured_after
from steps
join rounds on rounds.parent_id = steps.ancestor_id
join latest_batches on latest_batches.id = rounds.batch_id
where not rounds.accepted
order by steps.environment_id, rounds.number, rounds.id;
