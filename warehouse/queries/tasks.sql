-- Which tasks are current?
-- $theme: only this theme; all when null [default null]
select theme_name, id, kind, shape, gold_calls, requires_change, request
from current_tasks
where $theme::varchar is null or theme_name = $theme
order by theme_name, position;
