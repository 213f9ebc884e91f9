-- What is stored of one environment?
-- $id: id of the environment
select
    environments.id, theme_id, theme_name, version, parent_id, author, environments.seed, world_sha256, world_bytes,
    any_value(contract) as contract, any_value(checks) as checks, clock_start,
    string_agg(text_parts.part, '' order by text_parts.position) as description
from environments
join text_parts on text_parts.text_id = environments.text_id
where environments.id = $id
group by all;
