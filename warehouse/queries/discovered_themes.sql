-- Which themes were discovered, by name? The latest of a name.
-- $names: list of names; all when null [default null]
select themes.id, themes.name, themes.recipe, backlog.library
from themes
join backlog on backlog.theme_id = themes.id
where $names::varchar[] is null or list_contains($names::varchar[], themes.name)
qualify row_number() over (partition by themes.name order by backlog.created_at desc, themes.id desc) = 1
order by themes.name;
