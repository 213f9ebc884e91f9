-- Which calls do the gold runs of these tasks make?
-- $ids: list of ids of tasks
select task_id, step, tool, arguments, observation, observation_sha256, read_only
from gold_steps
where task_id in (select unnest($ids::varchar[]))
order by task_id, step;
