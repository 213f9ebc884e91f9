-- Why: a licence is taken back, or a data set turns out to hold what it must not. Nothing is deleted: what was derived is known by
-- lineage, and is in no snapshot from then on.
create table withdrawals (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    source_id varchar not null,
    reason varchar not null
);
comment on table withdrawals is 'Sources that a person withdrew: nothing that was made from one is trained on.';
