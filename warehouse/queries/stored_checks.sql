-- Which checks do these tasks have?
-- $ids: list of ids of tasks
select task_id, check_id, kind, type, points, spec
from checks
where list_contains($ids::varchar[], task_id)
order by task_id, position;
