-- What can be shown: by which name and which id?
select 'theme' as kind, theme_name as name, environment_id as id, theme_name as theme
from current_environments
union all
select 'environment', id, id, theme_name
from environments
union all
select 'tool', name, environment_id, theme_name
from current_tools
union all
select 'task', tasks.id, tasks.id, environments.theme_name
from tasks
join environments on environments.id = tasks.environment_id
union all
select 'document', path, environment_id, theme_name
from documents
order by kind, theme, name, id;
