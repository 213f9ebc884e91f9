-- Which sources were withdrawn and why, and in which snapshots is what was made from them?
with derived as (
    select
        withdrawn_environments.source_id,
        count(distinct withdrawn_environments.environment_id) as environments,
        string_agg(distinct snapshot_id, ', ' order by snapshot_id) as snapshots
    from withdrawn_environments
    left join snapshot_environments using (environment_id)
    group by withdrawn_environments.source_id
)
select
    sources.id,
    sources.package,
    sources.version,
    sources.file,
    min(withdrawals.created_at) as withdrawn_at,
    arg_max(withdrawals.reason, withdrawals.created_at) as reason,
    coalesce(any_value(derived.environments), 0) as environments,
    coalesce(any_value(derived.snapshots), '') as snapshots
from withdrawals
join sources on sources.id = withdrawals.source_id
left join derived on derived.source_id = withdrawals.source_id
group by sources.id, sources.package, sources.version, sources.file
order by withdrawn_at, sources.id;
