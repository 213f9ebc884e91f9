-- How many current environments, tools and tasks are there, accepted and refused?
with decided as (
    select subject_kind, sum(kept)::bigint as kept, sum(rejected)::bigint as rejected
    from funnel
    group by subject_kind
)
select
    (select count(*) from current_environments where state = 'accepted') as environments_accepted,
    (select count(*) from current_environments where state = 'rejected') as environments_rejected,
    coalesce((select kept from decided where subject_kind = 'tool'), 0) as tools_kept,
    coalesce((select rejected from decided where subject_kind = 'tool'), 0) as tools_rejected,
    coalesce((select kept from decided where subject_kind = 'task'), 0) as tasks_accepted,
    coalesce((select rejected from decided where subject_kind = 'task'), 0) as tasks_rejected,
    (select count(*) from current_tasks where requires_change) as tasks_with_required_change,
    (select avg(gold_calls) from current_tasks) as mean_gold_calls;
