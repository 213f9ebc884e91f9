-- Which share of an environment's values was mined for its theme, borrowed from other real data, and simulated?
select
    current_environments.theme_name,
    round(sum(profiles.table_rows) filter (where profiles.origin = 'mined') / sum(profiles.table_rows), 3) as mined,
    round(sum(profiles.table_rows) filter (where profiles.origin = 'borrowed') / sum(profiles.table_rows), 3) as borrowed,
    round(sum(profiles.table_rows) filter (where profiles.origin = 'simulated') / sum(profiles.table_rows), 3) as simulated
from current_environments
join profiles on profiles.environment_id = current_environments.environment_id
group by current_environments.theme_name
order by current_environments.theme_name;
