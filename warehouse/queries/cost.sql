-- What did models cost for each current environment, of all its versions and runs, and for each of its admitted tasks?
-- Dollars are null where a call has no price. The last row, without a theme, is what was called for no current one.
with used as (
    select
        current_environments.theme_name,
        count(*) as calls,
        count(*) filter (where theme_calls.cached) as cached,
        sum(theme_calls.tokens_in)::bigint as tokens_in,
        sum(theme_calls.tokens_out)::bigint as tokens_out,
        case when count(*) = count(theme_calls.cost) then sum(theme_calls.cost) end as dollars
    from theme_calls
    left join current_environments on current_environments.theme_name = theme_calls.theme_name
    group by current_environments.theme_name
),
admitted as (
    select theme_name, count(*) as tasks from current_tasks group by theme_name
),
counted as (
    select
        theme_name,
        current_environments.environment_id,
        coalesce(used.calls, 0) as calls,
        coalesce(used.cached, 0) as cached,
        coalesce(used.tokens_in, 0) as tokens_in,
        coalesce(used.tokens_out, 0) as tokens_out,
        case when used.calls is null then 0 else used.dollars end as dollars,
        coalesce(admitted.tasks, 0) as tasks
    from current_environments
    full join used using (theme_name)
    left join admitted using (theme_name)
)
select
    *,
    round((tokens_in + tokens_out) / nullif(tasks, 0), 1) as tokens_per_task,
    dollars / nullif(tasks, 0) as dollars_per_task
from counted
order by theme_name nulls last;
