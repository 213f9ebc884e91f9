-- Which checks do these tasks have?
-- $ids: list of ids of tasks
select task_id, check_id, kind, type, points, spec
from checks
where task_id in (select unnest($ids::varchar[]))
order by task_id, position;
