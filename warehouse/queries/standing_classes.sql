-- How many accepted environments stand in each first-level class?
select coalesce(current_classes.level1, 'unclassified') as level1, count(*) as environments
from current_environments
left join current_classes on current_classes.theme_name = current_environments.theme_name
where current_environments.state = 'accepted'
group by all
order by level1;
