-- How long did the stages of one run work, and on how many subjects?
-- $run: id of the run
select
    stage,
    count(*) as subjects,
    round(sum(finished_at - started_at), 2) as seconds,
    round(avg(finished_at - started_at), 3) as mean_s,
    round(max(finished_at - started_at), 2) as most_s
from stage_runs
where run_id = $run
group by stage
order by min(started_at);
