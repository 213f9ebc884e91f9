-- How did an environment grow: what does each version measure, and what did the round to it add?
-- $environment: theme's name, or id of any version
with chosen as (
    select environment_id
    from current_environments
    where theme_name = $environment and environment_id is not null
    union
    select id from environments where id = $environment
),
lineage_up as (
    with recursive steps(environment_id) as (
        select environment_id from chosen
        union
        select environments.parent_id
        from steps
        join environments on environments.id = steps.environment_id
        where environments.parent_id is not null
    )
    select environment_id from steps
)
select
    environments.version,
    environments.id as environment_id,
    measures.tables,
    measures.fk_depth,
    measures.guarded_writes,
    measures.max_chain,
    measures.formats,
    measures.tools,
    measures.simple_tools,
    measures.rich_tools,
    coalesce(rounds.additions, []) as additions
from lineage_up
join environments on environments.id = lineage_up.environment_id
join measures on measures.environment_id = environments.id
join latest_batches on latest_batches.id = measures.batch_id
left join rounds on rounds.environment_id = environments.id and rounds.accepted
qualify row_number() over (partition by environments.id order by rounds.created_at desc) = 1
order by environments.version;
