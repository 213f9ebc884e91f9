-- What are the long texts of which other tables keep the id?
create or replace view texts as
select text_id, string_agg(part, '' order by position) as text
from text_parts
group by text_id;
