-- Which verdict on each attempt counts? The latest.
create or replace view latest_verdicts as
select rollout_id, outcome, results, detail
from verdicts
where rollout_id is not null
qualify row_number() over (partition by rollout_id order by created_at desc, id desc) = 1;
