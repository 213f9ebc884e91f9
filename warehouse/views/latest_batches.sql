-- Which batch of each (stage, subject) counts? The one that was stored or used last.
create or replace view latest_batches as
with used as (
    select batch_id, max(created_at) as used_at from batch_uses group by batch_id
)
select batches.id, batches.stage, batches.subject_id, batches.author, batches.run_id, batches.created_at
from batches
left join used on used.batch_id = batches.id
qualify row_number() over (
    partition by batches.stage, batches.subject_id
    order by greatest(batches.created_at, coalesce(used.used_at, batches.created_at)) desc, batches.id desc
) = 1;
