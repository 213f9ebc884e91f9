-- Which themes are known, by name?
select distinct name as theme_name from themes order by theme_name;
