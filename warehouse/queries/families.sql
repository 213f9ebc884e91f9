-- Which families of environments stand, by which environment, in which first-level class, and in which seat?
select
    current_environments.theme_name,
    current_environments.theme_id,
    current_environments.environment_id,
    current_environments.version,
    coalesce(current_classes.level1, 'unclassified') as level1,
    coalesce(family_roles.role, 'open') as role
from current_environments
left join current_classes on current_classes.theme_name = current_environments.theme_name
left join family_roles on family_roles.family = current_environments.theme_name
where current_environments.state = 'accepted'
order by current_environments.theme_name;
