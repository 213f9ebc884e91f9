-- Which tools have these environments, how many of their tests pass, and how many tasks call them?
-- $ids: list of ids of environments; the current ones when null [default null]
with chosen as (
    select latest_batches.id, latest_batches.subject_id as environment_id
    from latest_batches
    where
        latest_batches.stage = 'build_tools'
        and case
            when $ids::varchar[] is null
                then latest_batches.subject_id in (select environment_id from current_environments)
            else list_contains($ids::varchar[], latest_batches.subject_id)
        end
),
tested as (
    select
        tool_tests.batch_id,
        tool_tests.tool,
        count(*) as tests,
        count(*) filter (where tool_tests.passed) as passed
    from tool_tests
    join chosen on chosen.id = tool_tests.batch_id
    group by tool_tests.batch_id, tool_tests.tool
),
used as (
    select current_tasks.environment_id, gold_steps.tool, count(distinct gold_steps.task_id) as tasks
    from gold_steps
    join current_tasks on current_tasks.id = gold_steps.task_id
    group by current_tasks.environment_id, gold_steps.tool
)
select
    chosen.environment_id,
    tools.name,
    tools.operation,
    tools.read_only,
    tools.description,
    tools.intent ->> '$.archetype' as archetype,
    tools.intent ->> '$.action' as action,
    coalesce(tested.tests, 0) as tests,
    coalesce(tested.passed, 0) as passed,
    coalesce(used.tasks, 0) as tasks
from chosen
join decisions on decisions.batch_id = chosen.id
join tools on tools.id = decisions.subject_id
left join tested on tested.batch_id = chosen.id and tested.tool = tools.name
left join used on used.environment_id = chosen.environment_id and used.tool = tools.name
where decisions.subject_kind = 'tool' and decisions.outcome = 'kept'
order by chosen.environment_id, decisions.position;
