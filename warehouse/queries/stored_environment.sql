-- What is stored of one environment?
-- $id: id of the environment
select
    id, theme_id, theme_name, version, parent_id, author, seed, world_sha256, world_bytes,
    profile, contract, checks, operations, documents, clock_start
from environments
where id = $id;
