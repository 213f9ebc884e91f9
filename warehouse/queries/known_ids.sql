-- Which of these ids are tasks or environments?
-- $ids: list of ids
with asked as (
    select unnest($ids::varchar[]) as id
)
select id from tasks where id in (select id from asked)
union
select id from environments where id in (select id from asked)
order by id;
