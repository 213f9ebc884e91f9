-- How long did each run take, and what share of it was not work of a stage?
-- Stages run side by side, so the work is the length of the union of their intervals, cut to the
-- run's own. `built` leaves out discover and publish, which run even when all else is found done.
-- A run without an end is still going or was killed.
create or replace view run_statistics as
with spans as (
    select
        stage_runs.run_id,
        greatest(stage_runs.started_at, runs.started_at) as started_at,
        least(stage_runs.finished_at, run_ends.finished_at) as finished_at,
        stage_runs.id
    from stage_runs
    join runs on runs.id = stage_runs.run_id
    join run_ends on run_ends.run_id = stage_runs.run_id
),
added as (
    select
        run_id,
        greatest(0, finished_at - greatest(started_at, coalesce(max(finished_at) over earlier, started_at))) as seconds
    from spans
    window earlier as (
        partition by run_id
        order by started_at, finished_at, id
        rows between unbounded preceding and 1 preceding
    )
),
worked as (
    select run_id, sum(seconds) as stage_s from added group by run_id
),
stage_counts as (
    select
        run_id,
        count(*) as stage_runs,
        count(*) filter (where stage not in ('discover', 'publish')) as built
    from stage_runs
    group by run_id
)
select
    runs.id as run_id,
    runs.flow,
    coalesce(run_ends.outcome, 'unfinished') as outcome,
    runs.started_at,
    run_ends.finished_at,
    run_ends.finished_at - runs.started_at as wall_s,
    coalesce(stage_counts.stage_runs, 0) as stage_runs,
    coalesce(stage_counts.built, 0) as built,
    worked.stage_s,
    1 - worked.stage_s / nullif(run_ends.finished_at - runs.started_at, 0) as orchestration_share
from runs
left join run_ends on run_ends.run_id = runs.id
left join stage_counts on stage_counts.run_id = runs.id
left join worked on worked.run_id = runs.id
order by runs.started_at desc, runs.id;
