-- Which of these ids are tasks or environments?
-- $ids: list of ids
select id from tasks where list_contains($ids::varchar[], id)
union
select id from environments where list_contains($ids::varchar[], id)
order by id;
