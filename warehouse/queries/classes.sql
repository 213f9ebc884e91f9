-- How many accepted environments stand in each class of the taxonomy, and how sure are the rules of them?
select
    current_classes.level1,
    current_classes.level2,
    count(*) filter (where current_environments.state = 'accepted') as environments,
    count(*) as themes,
    round(avg(current_classes.confidence), 2) as mean_confidence,
    count(*) filter (where current_classes.author = 'person') as by_a_person
from current_classes
left join current_environments on current_environments.theme_name = current_classes.theme_name
group by all
order by current_classes.level1, current_classes.level2;
