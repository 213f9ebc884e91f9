-- How much of what a theme's source names do the tools of its current environment cover?
select
    current_environments.theme_name,
    count(*) as operations,
    count(*) filter (where intents.covered) as covered,
    round(count(*) filter (where intents.covered) / count(*), 3) as coverage,
    list(intents.operation order by intents.position) filter (where not intents.covered) as not_covered
from current_environments
join intents on intents.environment_id = current_environments.environment_id
join latest_batches on latest_batches.id = intents.batch_id
group by current_environments.theme_name
order by current_environments.theme_name;
