-- Why: policies are evaluated on tasks that nobody trains on, what they fail by is found out, and rounds are built
-- against it. What a task and a family are for is held by the tables themselves: one pool a task, one role a family, and
-- a snapshot that takes anything else is refused by its keys, whoever writes it. Keys point at small tables of their own,
-- since DuckDB alters no table that a key points at. On DuckLake, which has no keys, the query pool_violations asks.

create table family_roles (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    family varchar not null unique,
    role varchar not null check (role in ('open', 'arena', 'holdout')),
    level1 varchar not null,
    unique (family, role)
);
comment on table family_roles is 'What a family of environments, all versions of one theme, is for. One without a row is open.';
comment on column family_roles.family is 'the theme''s name';
comment on column family_roles.role is 'arena: policies are evaluated on fresh tasks of it; holdout: that too, and no snapshot holds any of it';
comment on column family_roles.level1 is 'first-level class by which it was drawn';

create table environment_families (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    environment_id varchar not null unique,
    family varchar not null,
    unique (environment_id, family)
);
comment on table environment_families is 'Which family an environment belongs to, for the keys of snapshots.';
comment on column environment_families.family is 'the theme''s name';
insert into environment_families
select
    'family_' || left(sha256(to_json([id, theme_name])::varchar), 16),
    run_id, created_at, code_version, seed, id, theme_name
from environments;

create table task_pools (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    task_id varchar not null unique,
    environment_id varchar not null,
    pool varchar not null check (pool in ('training', 'arena', 'holdout')),
    round integer not null check (round >= 0),
    unique (task_id, environment_id, pool)
);
comment on table task_pools is 'What a task is for, and for which round it was made. A task is made for one pool and one round.';
comment on column task_pools.pool is 'training, arena (fresh in each round, never trained on) or holdout (the same, of a holdout family)';
comment on column task_pools.round is '0: before any evaluation';
-- Whatever was made before there was an arena is for training.
insert into task_pools
select
    'task_pool_' || left(sha256('["' || id || '","training",0]'), 16),
    run_id, created_at, code_version, seed, id, environment_id, 'training', 0
from tasks;

create table snapshot_environments (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    snapshot_id varchar not null,
    environment_id varchar not null,
    family varchar not null,
    role varchar not null check (role in ('open', 'arena')),
    unique (snapshot_id, environment_id),
    foreign key (environment_id, family) references environment_families (environment_id, family),
    foreign key (family, role) references family_roles (family, role)
);
comment on table snapshot_environments is 'An environment that a snapshot holds. Its family has a role from then on, and it is not holdout.';

create table snapshot_tasks (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    snapshot_id varchar not null,
    task_id varchar not null,
    environment_id varchar not null,
    pool varchar not null check (pool = 'training'),
    unique (snapshot_id, task_id),
    foreign key (task_id, environment_id, pool) references task_pools (task_id, environment_id, pool),
    foreign key (snapshot_id, environment_id) references snapshot_environments (snapshot_id, environment_id)
);
comment on table snapshot_tasks is 'A task that a snapshot holds: one for training, of an environment that the snapshot holds.';

alter table rollouts add column policy varchar;
comment on column rollouts.run_id is 'the run that made the attempt; a later one may have stored it';
comment on column rollouts.policy is 'name of whoever acted';
comment on column rollouts.stop_reason is 'answered, gave_up, out_of_calls, out_of_tokens, or policy_failed: its endpoint or code did';

create table failures (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    rollout_id varchar not null,
    task_id varchar not null,
    environment_id varchar not null,
    cause varchar not null,
    step integer,
    gold_step integer,
    tool varchar,
    evidence varchar not null
);
comment on table failures is 'Why an attempt failed, aligned with the gold run, as one diagnosis has it; current_failures has the latest.';
comment on column failures.cause is 'the first place at which it left every way to the goal: wrong_tool, wrong_argument, missing_lookup, …';
comment on column failures.step is 'place among the attempt''s calls at which it went wrong, from 0; null: in the answer';
comment on column failures.gold_step is 'place in the gold run that was not reached or not matched';
comment on column failures.tool is 'the gold run''s tool there; null: in the answer';
comment on column failures.evidence is 'one line, with the values that differ';

create table findings (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    batch_id varchar not null,
    policy_id varchar not null,
    control_id varchar not null,
    round integer not null,
    kind varchar not null check (kind in ('cause', 'tool')),
    position integer not null,
    what varchar not null,
    failures integer not null,
    expected double not null,
    p_value double not null,
    named boolean not null
);
comment on table findings is 'A cause or a tool by which a policy fails, against what a uniformly noisy policy''s failures predict.';
comment on column findings.control_id is 'the noisy policy';
comment on column findings.position is 'the most telling first, from 0';
comment on column findings.what is 'a cause, or environment_id/tool';
comment on column findings.expected is 'failures that the noisy policy''s share predicts';
comment on column findings.p_value is 'one-sided, before correction';
comment on column findings.named is 'it stands after Holm''s correction at 5 % over all of its kind';

-- 0002 foresaw these two before there was a diagnosis and nothing was ever stored in them, so they are made anew.
drop table diagnoses;
create table diagnoses (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    batch_id varchar not null,
    policy_id varchar not null,
    control_id varchar,
    round integer not null,
    environment_id varchar not null,
    rank integer not null,
    attempts integer,
    failures integer,
    pass_rate double,
    causes json not null,
    expected double,
    p_value double,
    named boolean
);
comment on table diagnoses is 'A weak environment of a policy in one round, with causes: by rules from counts, or by a model whose claims stood.';
comment on column diagnoses.author is 'rules or llm';
comment on column diagnoses.rank is 'from 1, the weakest first';
comment on column diagnoses.causes is 'rules: failures by cause; llm: claims, each with the attempts that show it and the SQL that counts it';
comment on column diagnoses.expected is 'failures that the noisy policy''s share predicts; null when an llm wrote it, as the next two';
comment on column diagnoses.named is 'it stands after Holm''s correction at 5 % over all environments';

drop table guidelines;
create table guidelines (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    environment_id varchar not null,
    cause varchar not null,
    lacking varchar not null,
    tools varchar[] not null,
    shapes varchar[] not null,
    level integer,
    least integer not null,
    growth json,
    rollout_ids varchar[] not null
);
comment on table guidelines is 'What the next round builds against one weakness in one environment. A diagnosis'' decisions say which count.';
comment on column guidelines.lacking is 'what the policy lacks, in a sentence';
comment on column guidelines.tools is 'tools that tasks shall use; empty: any';
comment on column guidelines.shapes is 'program shapes that exercise it; empty: any';
comment on column guidelines.level is 'level to draw at; null: as it comes';
comment on column guidelines.least is 'places that a task must offer at which the cause can show';
comment on column guidelines.growth is 'what to add to the database first; null: it is rich enough';
comment on column guidelines.rollout_ids is 'attempts that show it';

create table evolutions (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    round integer not null,
    before_id varchar not null,
    after_id varchar,
    guidelines integer not null,
    grown integer not null,
    tasks integer not null,
    rates_before json not null,
    rates_after json,
    outcome varchar not null check (outcome in ('kept', 'rolled_back', 'not_trained')),
    reason varchar not null
);
comment on table evolutions is 'A round of evolution: what was built against a policy''s weaknesses, and what became of the policy.';
comment on column evolutions.before_id is 'policy that the round began with';
comment on column evolutions.after_id is 'policy that was trained; null: none was';
comment on column evolutions.grown is 'environments that got a new version first';
comment on column evolutions.tasks is 'tasks that were admitted for the guidelines';
comment on column evolutions.rates_before is 'of all arena tasks of the round, which both policies were given';
comment on column evolutions.outcome is 'rolled_back: the trained policy is worse beyond the interval of the one before';

create table reviews (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    author varchar not null,
    task_id varchar not null,
    verdict varchar not null check (verdict in ('accepted', 'rejected')),
    reason varchar not null
);
comment on table reviews is 'What a person said of a task. The latest word counts: a rejected task is neither trained nor evaluated on.';
comment on column reviews.author is 'person';
comment on column reviews.reason is 'in the person''s words; may be empty';

comment on column batches.subject_id is 'what the stage worked on: a theme (mine), an environment (build_tools, synthesize), parent/number (complexify), environment/pool/round (tasks of a round), policy/round (diagnose)';
comment on column decisions.subject_kind is 'theme, environment, tool, task or guideline';

-- Estimates over tasks with n judged attempts, c of which passed, and intervals: tasks/arena/rates.py says where they come
-- from. A quotient of binomials is a product: C(m, k) / C(n, k) = m/n * (m-1)/(n-1) * …
create macro quotient_of_binomials(m, n, k) as
    list_aggregate([greatest(m - i, 0) / (n - i) for i in range(k)], 'product');
create macro pass_at(n, c, k) as if(n < k, null, 1 - quotient_of_binomials(n - c, n, k));
create macro pass_hat(n, c, k) as if(n < k, null, quotient_of_binomials(c, n, k));
create macro wilson_half(rate, tasks) as
    1.959963984540054e0 * sqrt(greatest(rate * (1 - rate), 0) / tasks + (1.959963984540054e0 / (2 * tasks)) ** 2);
create macro wilson_low(rate, tasks) as
    if(tasks = 0, 0, greatest(0,
        (rate + 1.959963984540054e0 ** 2 / (2 * tasks) - wilson_half(rate, tasks))
        / (1 + 1.959963984540054e0 ** 2 / tasks)));
create macro wilson_high(rate, tasks) as
    if(tasks = 0, 1, least(1,
        (rate + 1.959963984540054e0 ** 2 / (2 * tasks) + wilson_half(rate, tasks))
        / (1 + 1.959963984540054e0 ** 2 / tasks)));
comment on macro pass_at is 'chance that any of k attempts passes, from c passed ones of n; null when n < k';
comment on macro pass_hat is 'chance that all of k attempts pass, from c passed ones of n; null when n < k';
comment on macro wilson_low is 'lower bound of a rate over so many tasks at 95 %';
comment on macro wilson_high is 'upper bound of a rate over so many tasks at 95 %';
