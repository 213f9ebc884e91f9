-- Which steps do these attempts have?
-- $ids: list of ids of rollouts
select rollout_id, step, kind, content, tool, arguments, observation
from rollout_steps
where rollout_id in (select unnest($ids::varchar[]))
order by rollout_id, step;
