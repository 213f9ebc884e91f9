-- Why: models now fill roles. What each call cost and came to, what became of each thing they proposed, how far
-- a judge can be trusted, and who wrote each row are asked for by SQL.

-- 0002 foresaw this table before there was a client and nothing was ever stored in it, so it is made anew.
drop table model_calls;
create table model_calls (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    role varchar not null,
    subject varchar not null,
    model varchar not null,
    mode varchar not null,
    prompt_sha varchar not null,
    request json not null,
    response varchar,
    outcome varchar not null check (outcome in ('parsed', 'refused', 'error')),
    reason varchar not null,
    attempts integer not null,
    cached boolean not null,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost double,
    latency_s double not null,
    finished_at double not null
);
comment on table model_calls is 'One request to a model, retries included, or the same one answered from the cache.';
comment on column model_calls.run_id is 'the run that made the call; a later one may have stored it';
comment on column model_calls.role is 'what the model was asked as: research, coder, tester, writer, solver, judge, …';
comment on column model_calls.subject is 'id of the theme, environment or task it was made for';
comment on column model_calls.mode is 'how structure was asked for: native, json_schema or text';
comment on column model_calls.prompt_sha is 'sha256 of model, messages and parameters: the cache''s key';
comment on column model_calls.request is 'as sent, without secrets';
comment on column model_calls.response is 'the raw message as JSON; null when none arrived';
comment on column model_calls.outcome is 'parsed; refused: it arrived and was not what was asked for; error: none arrived';
comment on column model_calls.reason is 'why it was refused, or the error';
comment on column model_calls.attempts is 'requests that were sent for it; 0 from the cache';
comment on column model_calls.cost is 'US dollars by the price table; null when it has no price; 0 from the cache';
comment on column model_calls.finished_at is 'seconds since the epoch';

create table contributions (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    role varchar not null,
    subject varchar not null,
    kind varchar not null,
    name varchar not null,
    outcome varchar not null check (outcome in ('kept', 'refused')),
    gate varchar not null,
    detail varchar not null
);
comment on table contributions is 'What a model proposed and what the factory decided on it.';
comment on column contributions.subject is 'id of the theme or environment it was proposed for';
comment on column contributions.kind is 'table, tool, test, edge, round, request, task, answer, verdict, claim, theme or label';
comment on column contributions.gate is 'which gate refused it; empty when kept';

create table judge_calibrations (
    id varchar not null,
    run_id varchar not null,
    created_at timestamp not null,
    code_version varchar not null,
    seed bigint not null,
    model varchar not null,
    items integer not null,
    agreement double not null,
    floor double not null,
    yes_yes integer not null,
    yes_no integer not null,
    no_yes integer not null,
    no_no integer not null,
    refused integer not null,
    accepted boolean not null
);
comment on table judge_calibrations is 'How often a model judged as code checks do, on statements whose truth they know.';
comment on column judge_calibrations.agreement is 'share of all items, refused judgements counted against it';
comment on column judge_calibrations.floor is 'agreement below which the judge is refused';
comment on column judge_calibrations.yes_no is 'true by code, no by the judge';
comment on column judge_calibrations.no_yes is 'false by code, yes by the judge';
comment on column judge_calibrations.refused is 'judgements without usable evidence';

alter table tool_edges add column author varchar default 'rules';
comment on column tool_edges.author is 'who labelled it: rules before there was another author';
