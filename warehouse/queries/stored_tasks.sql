-- What is stored of these tasks, or of the latest training tasks of these environments, current or not?
-- $ids: list of ids of tasks or environments; the current tasks when null [default null]
with asked as (
    select unnest($ids::varchar[]) as id
),
chosen as (
    select current_tasks.id from current_tasks where $ids::varchar[] is null
    union
    select tasks.id from tasks where tasks.id in (select id from asked)
    union
    select decisions.subject_id
    from latest_batches
    join decisions on decisions.batch_id = latest_batches.id
    where latest_batches.stage = 'synthesize'
        and decisions.subject_kind = 'task'
        and decisions.outcome = 'kept'
        and split_part(latest_batches.subject_id, '/', 1) in (select id from asked)  -- a round's is environment/pool/round
)
select
    tasks.id, tasks.environment_id, tasks.kind, tasks.shape, tasks.author, tasks.language,
    tasks.request, tasks.answer_fields, tasks.expected_answer, tasks.expected_change,
    tasks.requires_change, tasks.plan, tasks.program, tasks.solution, tasks.gold_calls, tasks.unique_tools,
    tasks.level_asked, tasks.level, tasks.difficulty, tasks.assurance, tasks.traits, tasks.disturbances,
    tasks.seed, gold_runs.answer as gold_answer, gold_runs.state_id, gold_runs.state_diff
from tasks
join chosen on chosen.id = tasks.id
join gold_runs on gold_runs.task_id = tasks.id
order by tasks.environment_id, tasks.id;
