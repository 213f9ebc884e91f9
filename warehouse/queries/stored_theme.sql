-- What is stored of one theme?
-- $theme: id of the theme
select recipe from themes where id = $theme;
