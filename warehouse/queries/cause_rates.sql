-- At what share of its attempts at a round's arena tasks does a policy fail by each of these causes?
-- Shares are means over tasks, low and high Wilson's interval at 95 % with the tasks as trials.
-- $policy: id of the policy
-- $round: round of the tasks
-- $causes: list of causes
with judged as (
    select task_id, rollout_id
    from attempt_outcomes
    where policy_id = $policy and round = $round::integer and pool = 'arena' and outcome <> 'error'
),
shares as (
    select asked.cause, judged.task_id, count(current_failures.rollout_id) / count(*) as share
    from (select unnest($causes::varchar[]) as cause) as asked
    cross join judged
    left join current_failures
        on current_failures.rollout_id = judged.rollout_id and current_failures.cause = asked.cause
    group by asked.cause, judged.task_id
)
select
    cause,
    count(*) as tasks,
    avg(share) as rate,
    wilson_low(avg(share), count(*)) as low,
    wilson_high(avg(share), count(*)) as high
from shares
group by cause
order by cause;
