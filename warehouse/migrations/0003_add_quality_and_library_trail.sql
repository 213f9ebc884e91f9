-- Why: a mined world passes a quality gate whose results people ask for afterwards, and a theme
-- made from a user's library must tell which files were considered for it and why they were taken.

create table quality_results (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    theme_id varchar not null,
    environment_id varchar not null,
    position integer not null,
    suite varchar not null check (suite in ('table', 'invariant')),
    table_name varchar,
    column_name varchar,
    expectation varchar not null,
    severity varchar not null check (severity in ('critical', 'warning')),
    passed boolean not null,
    checked bigint not null,
    unexpected bigint not null,
    detail varchar not null
);
comment on table quality_results is 'What the quality gate expected of a mined world and found, also of a world that it refused.';
comment on column quality_results.suite is 'table: Great Expectations on one mined table; invariant: SQL across the tables';
comment on column quality_results.severity is 'a failed critical one refuses the world; a warning is told';
comment on column quality_results.checked is 'rows looked at';
comment on column quality_results.unexpected is 'rows that break the expectation';

create table library_trail (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    theme_id varchar not null,
    position integer not null,
    query varchar not null,
    file varchar not null,
    score double,
    outcome varchar not null check (outcome in ('taken', 'left', 'unreadable')),
    tables json not null,
    why varchar not null
);
comment on table library_trail is 'Which files of a user''s library were considered for a theme, by which query, and what became of each.';
comment on column library_trail.query is 'full-text query that found the file; empty for the theme''s own folder';
comment on column library_trail.score is 'BM25, larger is better; null for the folder''s own files';
comment on column library_trail.tables is 'names of the tables taken from the file';

comment on column themes.package is 'distribution that ships the data; of a folder theme, its path inside the library';
comment on column themes.version is 'version of the package, exact; of a folder theme, a hash of its files';
comment on column sources.file is 'path inside the package or the library';
