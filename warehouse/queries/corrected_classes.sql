-- Which themes did a person place in the taxonomy, and where?
select current_classes.theme_name, current_classes.level1, themes.recipe
from current_classes
join themes on themes.name = current_classes.theme_name
where current_classes.author = 'person'
qualify row_number() over (partition by themes.name order by themes.created_at desc, themes.id desc) = 1
order by current_classes.theme_name;
