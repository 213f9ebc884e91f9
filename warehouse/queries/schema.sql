-- Which columns does an environment's world have, by theme?
-- $theme: only this theme; all when null [default null]
select
    current_environments.theme_name,
    profiles.table_name,
    profiles.column_name,
    profiles.type,
    profiles.role,
    profiles.references_table,
    profiles.words
from current_environments
join profiles on profiles.environment_id = current_environments.environment_id
where $theme::varchar is null or current_environments.theme_name = $theme
order by current_environments.theme_name, profiles.table_name, profiles.position;
