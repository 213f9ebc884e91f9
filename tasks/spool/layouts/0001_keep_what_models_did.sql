-- Why: a response that was paid for must survive the process that asked for it, and a run's spending must be known
-- while the warehouse is written in batches. SQLite, in WAL mode: many processes, each commit on the disk.

-- The cache of responses: they stay.
create table if not exists replies (
    sha text primary key,
    reply text not null,
    arrived_at real not null
);

-- What calls cost and came to. The body, a whole call, leaves once the warehouse holds it; the figures stay.
create table if not exists calls (
    id text primary key,
    run_id text not null,
    role text not null,
    subject text not null,
    prompt_sha text not null,
    outcome text not null,
    cached integer not null,
    tokens_in integer not null,
    tokens_out integer not null,
    cost real,
    started_at real not null,
    drained integer not null default 0,
    body text
);
create index if not exists calls_by_run on calls (run_id, subject, cached, tokens_in, tokens_out, cost, started_at);
create index if not exists calls_by_prompt on calls (prompt_sha, cached, outcome);
create index if not exists calls_undrained on calls (drained) where not drained;

-- What became of proposals, as often as it was reported; equal reports of two runs share their ids.
create table if not exists contributions (
    place integer primary key,
    id text not null,
    run_id text not null,
    content text not null,
    role text not null,
    outcome text not null,
    gate text not null,
    drained integer not null default 0,
    body text
);
create index if not exists contributions_by_content on contributions (run_id, content);
create index if not exists contributions_by_id on contributions (id);
create index if not exists contributions_undrained on contributions (drained) where not drained;
