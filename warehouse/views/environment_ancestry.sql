-- From which versions did each current environment grow? Itself first.
create or replace view environment_ancestry as
with recursive steps(theme_name, environment_id, ancestor_id, age) as (
    select theme_name, environment_id, environment_id, 0
    from current_environments
    where environment_id is not null
    union
    select steps.theme_name, steps.environment_id, environments.parent_id, steps.age + 1
    from steps
    join environments on environments.id = steps.ancestor_id
    where environments.parent_id is not null
)
select theme_name, environment_id, ancestor_id, age from steps;
