-- Which batch of each (stage, subject) counts? The latest one.
create or replace view latest_batches as
select id, stage, subject_id, author, run_id, created_at
from batches
qualify row_number() over (partition by stage, subject_id order by created_at desc, id desc) = 1;
