-- Which attempts have an id that begins so?
-- $beginning: what the id begins with
select 'rollout' as kind, rollouts.id as name, rollouts.id, coalesce(environments.theme_name, rollouts.environment_id) as theme
from rollouts
left join environments on environments.id = rollouts.environment_id
where starts_with(rollouts.id, $beginning)
order by rollouts.id;
