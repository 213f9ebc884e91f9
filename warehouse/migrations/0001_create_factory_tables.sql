-- Why: the line from themes to proven tasks needs a memory in which a killed run leaves no half
-- row and a rerun adds nothing. So every id is a hash of content, rows are only ever inserted,
-- and what a stage decided is a row of its own (decisions) instead of a column to be updated.
-- No foreign keys: DuckLake, where the same tables live past one machine, has none; the views'
-- tests hold the invariants instead.

create table themes (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    name varchar not null,
    title varchar not null,
    description varchar not null,
    kind varchar not null,
    package varchar not null,
    version varchar not null,
    licence varchar not null,
    recipe json not null
);
comment on table themes is 'A real-world topic with its evidence. A changed recipe is a new row of the same name.';
comment on column themes.package is 'distribution that ships the data';
comment on column themes.version is 'version of the package, exact';
comment on column themes.recipe is 'the whole theme: files, columns, keys, words';

create table sources (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    theme_id varchar not null,
    package varchar not null,
    version varchar not null,
    file varchar not null,
    licence varchar not null,
    sha256 varchar not null,
    bytes bigint not null,
    retrieved_at varchar not null
);
comment on table sources is 'One retrieved file: address, licence, and the hash of its bytes.';
comment on column sources.file is 'path inside the package';
comment on column sources.retrieved_at is 'when it was first read, ISO 8601';

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
    profile json not null,
    contract json not null,
    overlay_parameters json not null,
    clock_start varchar not null
);
comment on table environments is 'One version of a world. Its files lie in <home>/environments/<id>/.';
comment on column environments.parent_id is 'the version it was made from; null for a first version';
comment on column environments.world_sha256 is 'hash of the logical content (DDL and rows in key order), not of the file';
comment on column environments.archetype is 'kind of operations laid over the mined tables: bookings, purchase_orders, service_tickets';
comment on column environments.contract is 'what may differ between two right final states';
comment on column environments.clock_start is 'first reading of the frozen clock in a session';

create table profiles (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    environment_id varchar not null,
    table_name varchar not null,
    table_kind varchar not null,
    table_rows bigint not null,
    position integer not null,
    column_name varchar not null,
    type varchar not null,
    role varchar not null,
    nullable boolean not null,
    distinct_values bigint not null,
    minimum varchar,
    maximum varchar,
    categories varchar[] not null,
    words varchar not null,
    unit varchar,
    is_key boolean not null,
    is_label boolean not null,
    is_opaque boolean not null,
    references_table varchar,
    references_column varchar,
    reference_coverage double
);
comment on table profiles is 'One column of one table of an environment, as it was found.';
comment on column profiles.table_kind is 'reference: referred to; event: refers, mined; operational: an overlay''s, writable';
comment on column profiles.position is 'place of the column in its table, from 0';
comment on column profiles.words is 'what people call the column';
comment on column profiles.is_opaque is 'an id that no person knows; a request never names its values';
comment on column profiles.reference_coverage is 'share of non-null values found in the referred table before sampling';

create table batches (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    stage varchar not null,
    subject_id varchar not null
);
comment on table batches is 'All that one stage decided on one subject, stored at once. The one of a subject that was used last counts.';
comment on column batches.subject_id is 'what the stage worked on: a theme (mine) or an environment (the later stages)';

create table batch_uses (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null
);
comment on table batch_uses is 'Which batches a run stands on, those it found done too: settings that go there and back use an older batch again.';

create table tool_modules (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    batch_id varchar not null,
    environment_id varchar not null,
    source varchar not null
);
comment on table tool_modules is 'The Python source of the tools that one batch of build_tools judged.';

create table decisions (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    stage varchar not null,
    position integer not null,
    subject_kind varchar not null,
    subject_id varchar not null,
    outcome varchar not null check (outcome in ('kept', 'rejected')),
    rejection_id varchar
);
comment on table decisions is 'What became of each thing proposed in a batch: kept, or rejected with a reason.';
comment on column decisions.position is 'order in the batch, from 0';
comment on column decisions.subject_kind is 'theme, environment, tool or task';
comment on column decisions.rejection_id is 'rejections.id; null when kept';

create table tools (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    environment_id varchar not null,
    name varchar not null,
    description varchar not null,
    operation varchar not null,
    read_only boolean not null,
    input_schema json not null,
    output_schema json not null,
    intent json not null
);
comment on table tools is 'A tool that the gate kept in some batch; current_tools has those that count.';
comment on column tools.intent is 'what the tool does in the profile''s names; never shown to a policy';

create table tool_tests (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    batch_id varchar not null,
    environment_id varchar not null,
    position integer not null,
    test_id varchar not null,
    tool varchar not null,
    name varchar not null,
    test_case varchar not null,
    setup json not null,
    arguments json not null,
    expect json not null,
    passed boolean,
    detail varchar not null
);
comment on table tool_tests is 'A unit test of a tool and its outcome in one batch.';
comment on column tool_tests.test_case is 'works, edge or refuses';
comment on column tool_tests.expect is 'computed from the source without the tool';
comment on column tool_tests.passed is 'null: never ran, since the tool failed before';
comment on column tool_tests.detail is 'why it failed; empty when it passed';

create table tool_edges (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    environment_id varchar not null,
    position integer not null,
    source_tool varchar not null,
    target_tool varchar not null,
    kind varchar not null,
    weight integer not null,
    parameter varchar,
    domain varchar
);
comment on table tool_edges is 'The output of source_tool can feed target_tool.';
comment on column tool_edges.kind is 'strong: no other way to know the input; weak: one way; independent: no input shared';
comment on column tool_edges.domain is 'value domain that joins the two, table.column';

create table tasks (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    environment_id varchar not null,
    kind varchar not null,
    shape varchar not null,
    language varchar not null,
    request varchar not null,
    answer_fields json not null,
    expected_answer json not null,
    expected_change json not null,
    requires_change boolean not null,
    program json not null,
    solution varchar not null,
    gold_calls integer not null,
    unique_tools integer not null
);
comment on table tasks is 'An admitted task; current_tasks has those that count.';
comment on column tasks.seed is 'seed that the task was drawn with';
comment on column tasks.kind is 'graph: a walk over the tool graph; programmatic: a program with control flow';
comment on column tasks.shape is 'the walk or program shape it was drawn from';
comment on column tasks.expected_change is 'canonical diff of the final state; {} when nothing may change';
comment on column tasks.solution is 'the program compiled to Python';

create table checks (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    task_id varchar not null,
    position integer not null,
    check_id varchar not null,
    kind varchar not null,
    type varchar not null,
    points double not null,
    spec json not null
);
comment on table checks is 'One machine-decidable condition of a task''s verdict. All must hold.';
comment on column checks.kind is 'code or judge';

create table gold_runs (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    task_id varchar not null,
    calls integer not null,
    answer json not null,
    state_id varchar not null,
    state_diff json not null
);
comment on table gold_runs is 'The run that produced a task''s expected answer; one a task.';
comment on column gold_runs.run_id is 'the factory''s run that stored it';
comment on column gold_runs.state_id is 'hash of the world''s hash and the canonical diff';

create table gold_steps (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    gold_run_id varchar not null,
    task_id varchar not null,
    step integer not null,
    tool varchar not null,
    arguments json not null,
    observation json,
    observation_sha256 varchar not null,
    read_only boolean not null
);
comment on table gold_steps is 'One call of a gold run, with what it returned.';
comment on column gold_steps.step is 'place in the run, from 0';

create table rejections (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar,
    stage varchar not null,
    subject_kind varchar not null,
    subject_id varchar not null,
    environment_id varchar,
    reason varchar not null,
    detail varchar not null,
    payload json not null
);
comment on table rejections is 'Something an author proposed and the factory refused.';
comment on column rejections.reason is 'short code from a closed list per stage';
comment on column rejections.payload is 'what was refused';

create table lineage (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    child_kind varchar not null,
    child_id varchar not null,
    parent_kind varchar not null,
    parent_id varchar not null
);
comment on table lineage is 'child was made from parent.';

create table runs (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    flow varchar not null,
    parameters json not null,
    started_at double not null
);
comment on table runs is 'A started run. Without a row in run_ends it is still going or was killed.';
comment on column runs.started_at is 'seconds since the epoch';

create table run_ends (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    outcome varchar not null,
    message varchar not null,
    finished_at double not null
);
comment on table run_ends is 'The end of a run, apart from its start since rows are never updated.';
comment on column run_ends.outcome is 'completed or failed';
comment on column run_ends.message is 'one line for people: what was built, what failed';
comment on column run_ends.finished_at is 'seconds since the epoch';

create table stage_runs (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    stage varchar not null,
    subject_id varchar not null,
    started_at double not null,
    finished_at double not null,
    counts json not null
);
comment on table stage_runs is 'Work that a stage did on one subject. A cached stage leaves no row.';
comment on column stage_runs.started_at is 'seconds since the epoch';
comment on column stage_runs.finished_at is 'seconds since the epoch';

create table run_environments (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    theme_id varchar not null,
    environment_id varchar
);
comment on table run_environments is 'Which environment a run used for a theme, cached or new. The latest row of a theme counts.';
comment on column run_environments.environment_id is 'null: the theme was refused and no environment came of it';
