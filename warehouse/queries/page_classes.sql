-- How many themes and accepted environments stand in each first-level class, and how sure are the rules of them?
select
    current_classes.level1,
    count(*) as themes,
    count(*) filter (where current_environments.state = 'accepted') as environments,
    round(avg(current_classes.confidence), 2) as mean_confidence
from current_classes
left join current_environments on current_environments.theme_name = current_classes.theme_name
group by current_classes.level1
order by current_classes.level1;
