-- Which themes wait to become an environment, or for another round, and in which class are they?
-- $rounds: rounds of complexification that an environment gets [default 2]
with latest as (
    select theme_id, theme_name, library
    from backlog
    qualify row_number() over (partition by theme_name order by created_at desc, id desc) = 1
),
tried as (
    select theme_name, max(number) as rounds
    from environment_ancestry
    join rounds on rounds.parent_id = environment_ancestry.ancestor_id
    group by theme_name
)
select
    latest.theme_name,
    latest.theme_id,
    latest.library,
    themes.kind,
    current_classes.level1,
    if(current_environments.state = 'accepted', 'version', 'environment') as wants,
    coalesce(tried.rounds, 0) as rounds
from latest
join themes on themes.id = latest.theme_id
left join current_environments on current_environments.theme_name = latest.theme_name
left join current_classes on current_classes.theme_name = latest.theme_name
left join tried on tried.theme_name = latest.theme_name
where
    current_environments.theme_name is null
    or current_environments.state = 'unfinished'
    or (current_environments.state = 'accepted' and coalesce(tried.rounds, 0) < $rounds::integer)
order by latest.theme_name;
