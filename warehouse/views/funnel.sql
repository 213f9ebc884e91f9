-- How much of what was proposed survived each stage, and why was the rest refused?
-- `proposed` counts decisions, `kept` the stored rows they point to, `rejected` the stored
-- rejections; proposed = kept + rejected, or something was lost.
create or replace view funnel as
with stored as (
    select 'theme' as subject_kind, id from themes
    union all select 'environment', id from environments
    union all select 'tool', id from tools
    union all select 'task', id from tasks
),
outcomes as (
    select
        current_decisions.stage,
        current_decisions.subject_kind,
        (current_decisions.outcome = 'kept' and stored.id is not null)::integer as kept,
        (current_decisions.outcome = 'rejected' and current_decisions.rejection_id is not null)::integer as rejected,
        case when current_decisions.outcome = 'rejected' then current_decisions.reason end as reason
    from current_decisions
    left join stored
        on stored.subject_kind = current_decisions.subject_kind and stored.id = current_decisions.subject_id
),
reasons as (
    select stage, subject_kind, reason, count(*) as refused
    from outcomes
    where reason is not null
    group by all
),
reason_lists as (
    select
        stage,
        subject_kind,
        string_agg(reason || ' ' || refused, ', ' order by refused desc, reason) as rejected_by_reason
    from reasons
    group by all
)
select
    outcomes.stage,
    outcomes.subject_kind,
    count(*) as proposed,
    sum(outcomes.kept)::bigint as kept,
    sum(outcomes.rejected)::bigint as rejected,
    coalesce(any_value(reason_lists.rejected_by_reason), '') as rejected_by_reason
from outcomes
left join reason_lists using (stage, subject_kind)
group by outcomes.stage, outcomes.subject_kind
order by
    list_position(['discover', 'mine', 'build_tools', 'complexify', 'synthesize', 'publish'], outcomes.stage),
    list_position(['theme', 'environment', 'tool', 'task'], outcomes.subject_kind);
