-- Why: an attempt of a policy costs minutes of a model's work. A killed evaluation goes on at the attempt it was in, so
-- each is on the disk when it ends, and that it was made is known after the warehouse took its steps.

-- One row an attempt. The body, the whole rollout, leaves once a warehouse holds it: `drained_into` is its identity.
create table rollouts (
    place integer primary key,
    id text not null unique,
    run_id text not null,
    policy_id text not null,
    task_id text not null,
    attempt integer not null,
    judged integer not null,
    drained_into text,
    body blob
);
create index rollouts_by_task on rollouts (policy_id, task_id, judged, attempt, drained_into);
create index rollouts_undrained on rollouts (place) where drained_into is null;
