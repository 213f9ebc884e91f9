-- Why: environments grow by rounds, each a version with a parent, with several archetypes and files in
-- native formats; themes come from documents that name operations, are merged where they are the same,
-- wait in a backlog, and have a place in a taxonomy.

alter table environments alter column overlay_parameters drop not null;
alter table environments add column checks json;
alter table environments add column operations json;
alter table environments add column documents json;
comment on column environments.archetype is 'archetypes of operations in this world, by commas';
comment on column environments.overlay_parameters is 'of versions of the first release: what their one archetype was laid by';
comment on column environments.checks is 'SQL CHECK expressions by table';
comment on column environments.operations is 'views and actions by archetype: what tools, tests and requests follow from';
comment on column environments.documents is 'files of the workspace with their facts and text';

alter table profiles add column origin varchar;
alter table profiles add column borrowed_from varchar;
comment on column profiles.origin is 'mined for the theme, borrowed from another real source, or simulated with the seed';
comment on column profiles.borrowed_from is 'source of borrowed values';

create table measures (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    environment_id varchar not null,
    tables integer not null,
    fk_depth integer not null,
    guarded_writes integer not null,
    max_chain integer not null,
    formats varchar[] not null,
    tools integer not null,
    simple_tools integer not null,
    rich_tools integer not null
);
comment on table measures is 'Structure of an environment with the tools that one batch of build_tools kept.';
comment on column measures.fk_depth is 'references of the longest way from table to table';
comment on column measures.guarded_writes is 'kept write tools that enforce more than that their rows exist';
comment on column measures.max_chain is 'calls of the longest chain in which each takes an id that the one before found';
comment on column measures.simple_tools is 'single-table create, read, update or delete without a precondition';
comment on column measures.rich_tools is 'tools that touch two or more tables or enforce a precondition';

create table rounds (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    batch_id varchar not null,
    theme_id varchar not null,
    parent_id varchar not null,
    environment_id varchar not null,
    number integer not null,
    accepted boolean not null,
    additions varchar[] not null,
    measured_before json,
    measured_after json,
    reason varchar,
    detail varchar not null,
    guideline json not null
);
comment on table rounds is 'One round of complexification over a parent, accepted or refused with the figures.';
comment on column rounds.environment_id is 'the candidate''s id, also of one that was refused; empty when nothing was proposed';
comment on column rounds.additions is 'one line for each thing that the candidate adds';
comment on column rounds.guideline is 'what steered the round';

create table intents (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    environment_id varchar not null,
    position integer not null,
    operation varchar not null,
    verb varchar not null,
    entity varchar not null,
    tool varchar,
    parameters integer not null,
    matched integer not null,
    covered boolean not null,
    why varchar not null
);
comment on table intents is 'An operation that a theme''s source names, and the kept tool that does the same.';
comment on column intents.parameters is 'those that narrow or state something: no paging, formats or credentials';

create table value_sources (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    environment_id varchar not null,
    table_name varchar not null,
    row_key varchar not null,
    address varchar not null,
    place varchar not null
);
comment on table value_sources is 'Which page, and where on it, a mined row of an environment was read from.';

create table theme_merges (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    merged_name varchar not null,
    merged_address varchar not null,
    theme_id varchar not null,
    rule varchar not null,
    similarity double not null
);
comment on table theme_merges is 'A theme that was the same as another one, and by which rule.';

create table classes (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    theme_name varchar not null,
    level1 varchar not null,
    level2 varchar,
    level3 varchar,
    confidence double,
    runner_up varchar
);
comment on table classes is 'Place of a theme in the taxonomy. A person''s word counts before the rules'', the latest of equals.';
comment on column classes.author is 'rules, or person';
comment on column classes.runner_up is 'second likeliest first level';

create table backlog (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    theme_id varchar not null,
    theme_name varchar not null,
    library varchar,
    reason varchar not null
);
comment on column backlog.library is 'absolute path of the user''s library that holds the theme''s files';
comment on table backlog is 'A theme that waits, or waited, to become an environment. Whether it did is asked of current_environments.';

comment on column themes.kind is 'dataset, folder, mcp, tools, requirements or site';
