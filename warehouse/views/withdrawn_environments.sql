-- Which environments were made, over any versions, from a source that was withdrawn, or from the same bytes under another theme?
create or replace view withdrawn_environments as
with recursive derived as (
    select withdrawn.id as source_id, lineage.child_id as environment_id
    from withdrawals
    join sources as withdrawn on withdrawn.id = withdrawals.source_id
    join sources as same on same.sha256 = withdrawn.sha256
    join lineage on lineage.parent_kind = 'source' and lineage.parent_id = same.id
    where lineage.child_kind = 'environment'
    union
    select derived.source_id, lineage.child_id
    from lineage
    join derived on derived.environment_id = lineage.parent_id
    where lineage.parent_kind = 'environment' and lineage.child_kind = 'environment'
)
select source_id, environment_id from derived;
