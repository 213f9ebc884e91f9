-- Why: a task is drawn as a plan at a level asked for, is read back from its words, and is trusted by what its
-- proof counted; tasks that are alike, or like a public benchmark, are flagged with the evidence.

alter table tasks add column plan json;
alter table tasks add column level_asked integer;
alter table tasks add column level integer;
alter table tasks add column difficulty json;
alter table tasks add column assurance varchar;
alter table tasks add column traits varchar[];
alter table tasks add column disturbances json;
comment on column tasks.plan is 'what the request wants, in the world''s own terms; null when an author gave none';
comment on column tasks.level_asked is 'difficulty asked for: 1 to 5, 0 for practice';
comment on column tasks.level is 'difficulty measured';
comment on column tasks.difficulty is 'what the level was measured from';
comment on column tasks.assurance is 'self_consistent: read back from its words; confirmed: by independent solver runs';
comment on column tasks.traits is 'what the gold run shows: changes, document, policy, recovery, unchanged';
comment on column tasks.disturbances is 'tool → how many of its first calls fail for a moment';

create table proofs (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    task_id varchar not null,
    mutants integer not null,
    killed integer not null,
    equivalent integer not null,
    survived integer not null,
    heldout_mutants integer not null,
    heldout_killed integer not null,
    heldout_equivalent integer not null,
    heldout_survived integer not null,
    variants integer not null,
    variants_passed integer not null,
    steps integer not null,
    cpu_s double not null
);
comment on table proofs is 'What admission counted when it tried a task''s verifier on wrong attempts and on right ones.';
comment on column proofs.mutants is 'wrong attempts by the operators that admission uses';
comment on column proofs.equivalent is 'mutants whose answer and state are right after all';
comment on column proofs.heldout_mutants is 'wrong attempts by operators that admission does not use: they estimate what slips through';
comment on column proofs.variants is 'right attempts by another way or in other words';
comment on column proofs.steps is 'calls that were made for mutants';

create table flags (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    subject_kind varchar not null check (subject_kind in ('task', 'environment')),
    subject_id varchar not null,
    kind varchar not null check (kind in ('duplicate', 'contaminated')),
    what varchar not null,
    evidence varchar not null,
    score double not null
);
comment on table flags is 'Why a task or environment stays out of training by default.';
comment on column flags.what is 'the other task that it repeats, or the benchmark that it is like';
