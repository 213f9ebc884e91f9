-- Which snapshots are there, and what do they hold?
select
    snapshots.id,
    json_extract(snapshots.contents, '$.counts.environments')::bigint as environments,
    json_extract(snapshots.contents, '$.counts.tasks')::bigint as tasks,
    snapshots.path,
    snapshots.created_at
from snapshots
order by snapshots.created_at, snapshots.id;
