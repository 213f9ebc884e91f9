-- Why: DuckDB writes the rows of a young table anew with every batch. Where one row holds a module of 80 kB or a world's
-- whole description, that is the more the larger the factory's home is: the cost of a run grew with its square.
-- So long texts lie in parts, in rows of a few kB of which only new ones are written.
create table text_parts (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    text_id varchar not null,
    position integer not null,
    part varchar not null
);
comment on table text_parts is 'Long texts in parts, each text once. The view texts puts them together.';
comment on column text_parts.text_id is 'hash of the whole text';
comment on column text_parts.position is 'place of the part in its text, from 0';

create temporary table old_modules as select *, 'text_' || left(sha256(source), 16) as text_id from tool_modules;
create temporary table old_environments as
select *, 'text_' || left(sha256(description), 16) as text_id
from (
    select
        *,
        json_object(
            'profile', profile,
            'operations', coalesce(operations, '[]'::json),
            'documents', coalesce(documents, '[]'::json)
        )::varchar as description
    from environments
);
insert into text_parts
with whole as (
    select text_id, description as text, run_id, created_at, code_version, seed from old_environments
    union all
    select text_id, source, run_id, created_at, code_version, seed from old_modules
)
select
    text_id || '_' || position, run_id, created_at, code_version, seed, text_id, position,
    substring(text, position * 4000 + 1, 4000)
from (
    select *, unnest(range(0, greatest(1, (length(text) + 3999) // 4000))) as position
    from (from whole qualify row_number() over (partition by text_id order by created_at, run_id) = 1)
);

drop table tool_modules;
create table tool_modules (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    batch_id varchar not null,
    environment_id varchar not null,
    text_id varchar not null
);
comment on table tool_modules is 'The Python source of the tools that one batch of build_tools judged.';
comment on column tool_modules.text_id is 'the source, see texts';
insert into tool_modules by name select * exclude (source) from old_modules;

drop table environments;
create table environments (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    theme_id varchar not null,
    theme_name varchar not null,
    version integer not null,
    parent_id varchar,
    world_sha256 varchar not null,
    world_bytes bigint not null,
    archetype varchar,
    contract json not null,
    overlay_parameters json,
    checks json,
    clock_start varchar not null,
    text_id varchar not null,
    sampling json,
    files json not null
);
comment on table environments is 'One version of a world. Its files lie in <home>/environments/<id>/.';
comment on column environments.parent_id is 'the version it was made from; null for a first version';
comment on column environments.world_sha256 is 'hash of the logical content (DDL and rows in key order), not of the file';
comment on column environments.archetype is 'archetypes of operations in this world, by commas';
comment on column environments.contract is 'what may differ between two right final states';
comment on column environments.overlay_parameters is 'of versions of the first release: what their one archetype was laid by';
comment on column environments.checks is 'SQL CHECK expressions by table';
comment on column environments.clock_start is 'first reading of the frozen clock in a session';
comment on column environments.text_id is 'profile, operations and documents as one JSON object, see environment_descriptions';
comment on column environments.sampling is 'what was left out of each table or mended in it, and why';
comment on column environments.files is 'files of the workspace without their text: path, format, title, origin, editable, characters';
insert into environments by name
select
    * exclude (profile, operations, documents, description),
    profile -> '$.sampling' as sampling,
    to_json(list_transform(
        coalesce(documents, '[]'::json)::json[],
        lambda document: json_merge_patch(
            document, json_object('text', null, 'facts', null, 'characters', length(document ->> '$.text'))
        )
    )) as files
from old_environments;
drop table old_modules;
drop table old_environments;
