-- What was a task (or a tool, or an environment) made from, up to the source files?
-- $id: id of the task, tool or environment
with recursive ancestors(depth, child_id, kind, id) as (
    select 1, child_id, parent_kind, parent_id from lineage where child_id = $id
    union
    select ancestors.depth + 1, lineage.child_id, lineage.parent_kind, lineage.parent_id
    from ancestors
    join lineage on lineage.child_id = ancestors.id
),
names as (
    select id, name from tools
    union all select id, theme_name || ' version ' || version from environments
    union all select id, title from themes
    union all select id, package || ' ' || version || ': ' || file from sources
)
select ancestors.kind, ancestors.id, names.name, min(ancestors.depth) as depth
from ancestors
left join names on names.id = ancestors.id
group by ancestors.kind, ancestors.id, names.name
order by depth, ancestors.kind, names.name, ancestors.id;
