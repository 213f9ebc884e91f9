-- Which sources have this id, package, file or hash, and which environments were made from each?
-- $what: id of a source, name of its package, its file, or the sha256 of its bytes
select
    sources.id,
    sources.package,
    sources.version,
    sources.file,
    count(distinct lineage.child_id) as environments
from sources
left join lineage on lineage.parent_kind = 'source' and lineage.parent_id = sources.id
where $what in (sources.id, sources.package, sources.file, sources.sha256)
group by all
order by sources.package, sources.version, sources.file, sources.id;
