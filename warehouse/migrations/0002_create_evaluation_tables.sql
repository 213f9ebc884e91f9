-- Why: evaluation, diagnosis, training and model authors come with later changes; their tables
-- stand already so that views, documents and exports can name them and none is invented twice.

create table policies (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    name varchar not null,
    kind varchar not null,
    model varchar,
    parent_id varchar,
    snapshot_id varchar,
    parameters json not null
);
comment on table policies is 'Whatever acts: an endpoint, a scripted policy, a person.';
comment on column policies.parent_id is 'policy it was trained from';
comment on column policies.snapshot_id is 'snapshot it was trained on';

create table rollouts (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    policy_id varchar not null,
    task_id varchar not null,
    environment_id varchar not null,
    attempt integer not null,
    stop_reason varchar not null,
    answer json,
    state_id varchar,
    state_diff json,
    calls integer not null,
    input_tokens bigint,
    output_tokens bigint,
    started_at double not null,
    finished_at double not null
);
comment on table rollouts is 'One attempt of a policy at a task. A bad rollout is data, not a crash.';
comment on column rollouts.attempt is 'from 0, within (policy, task)';
comment on column rollouts.started_at is 'seconds since the epoch';
comment on column rollouts.finished_at is 'seconds since the epoch';

create table rollout_steps (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    rollout_id varchar not null,
    step integer not null,
    kind varchar not null,
    content varchar,
    tool varchar,
    arguments json,
    observation json,
    model_call_id varchar,
    duration_s double
);
comment on table rollout_steps is 'One step of a rollout.';
comment on column rollout_steps.kind is 'message or call';
comment on column rollout_steps.content is 'text of a message';

create table verdicts (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    task_id varchar not null,
    rollout_id varchar,
    outcome varchar not null check (outcome in ('pass', 'fail', 'error')),
    results json not null,
    detail varchar not null,
    model_call_id varchar
);
comment on table verdicts is 'Whether a task''s checks held. An error is the factory''s fault and never a reward of 0.';
comment on column verdicts.rollout_id is 'null: a replay of the gold run';
comment on column verdicts.results is 'one {check_id, passed, detail} a check';

create table diagnoses (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    policy_id varchar not null,
    environment_id varchar not null,
    rank integer not null,
    pass_rate double,
    causes json not null,
    summary varchar not null,
    model_call_id varchar
);
comment on table diagnoses is 'A weak environment of a policy, with causes.';
comment on column diagnoses.rank is 'from 1, the weakest first';

create table guidelines (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    diagnosis_id varchar not null,
    environment_id varchar not null,
    targets json not null,
    text varchar not null,
    model_call_id varchar
);
comment on table guidelines is 'What to build next against a diagnosed weakness.';
comment on column guidelines.targets is 'shapes, tools and domains to aim at';

create table snapshots (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    name varchar not null,
    sha256 varchar not null,
    path varchar not null,
    format varchar not null,
    contents json not null
);
comment on table snapshots is 'An immutable, content-addressed export that training consumes.';
comment on column snapshots.contents is 'rows by table, and the ids of environments and tasks';

create table model_calls (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    purpose varchar not null,
    model varchar not null,
    prompt_sha varchar not null,
    request json not null,
    response varchar,
    outcome varchar not null,
    input_tokens bigint,
    output_tokens bigint,
    cost double,
    duration_s double
);
comment on table model_calls is 'One request to a model and its raw response: the queryable cache.';
comment on column model_calls.prompt_sha is 'sha256 of the prompt as rendered';
comment on column model_calls.cost is 'US dollars; null when unknown';
