-- How many themes were taken in, merged and refused? Each that was looked at is one of the three.
with refused as (
    select theme_id, theme_name from current_environments where environment_id is null
)
select
    (select count(distinct name) from themes where name not in (select theme_name from refused)) as themes_in,
    (select count(*) from theme_merges) as themes_merged,
    (select count(*) from refused)
    + (
        select count(distinct subject_id)
        from rejections
        where subject_kind = 'theme' and stage = 'discover' and subject_id not in (select id from themes)
    ) as themes_rejected;
