-- Which batch holds the tools of an environment that count, and how many did the gate keep and refuse?
-- $environment: id of the environment
select
    latest_batches.id as batch_id,
    count(*) filter (where decisions.outcome = 'kept') as kept,
    count(*) filter (where decisions.outcome = 'rejected') as rejected
from latest_batches
join decisions on decisions.batch_id = latest_batches.id
where latest_batches.stage = 'build_tools'
    and latest_batches.subject_id = $environment
    and decisions.subject_kind = 'tool'
group by all;
