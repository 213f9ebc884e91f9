-- How large is each current environment, and what came of it?
create or replace view environment_statistics as
with tables as (
    select
        environment_id,
        count(distinct table_name) as world_tables,
        count(*) as world_columns,
        count(references_table) as world_references
    from profiles
    group by environment_id
),
table_rows as (
    select environment_id, sum(table_rows)::bigint as world_rows
    from (select distinct environment_id, table_name, table_rows from profiles)
    group by environment_id
),
tool_counts as (
    select environment_id, count(*) as tools, count(*) filter (where not read_only) as write_tools
    from current_tools
    group by environment_id
),
test_counts as (
    select
        tool_tests.environment_id,
        count(*) as tool_tests,
        count(*) filter (where tool_tests.passed) as tool_tests_passed
    from tool_tests
    join latest_batches on latest_batches.id = tool_tests.batch_id
    group by tool_tests.environment_id
),
task_counts as (
    select
        environment_id,
        count(*) as tasks,
        count(*) filter (where requires_change) as tasks_with_change,
        round(avg(gold_calls), 2) as mean_gold_calls
    from current_tasks
    group by environment_id
)
select
    current_environments.theme_name,
    current_environments.environment_id,
    current_environments.state,
    environments.version,
    environments.archetype,
    environments.world_bytes,
    coalesce(tables.world_tables, 0) as world_tables,
    coalesce(tables.world_columns, 0) as world_columns,
    coalesce(table_rows.world_rows, 0) as world_rows,
    coalesce(tables.world_references, 0) as world_references,
    coalesce(tool_counts.tools, 0) as tools,
    coalesce(tool_counts.write_tools, 0) as write_tools,
    coalesce(test_counts.tool_tests, 0) as tool_tests,
    coalesce(test_counts.tool_tests_passed, 0) as tool_tests_passed,
    coalesce(task_counts.tasks, 0) as tasks,
    coalesce(task_counts.tasks_with_change, 0) as tasks_with_change,
    task_counts.mean_gold_calls
from current_environments
left join environments on environments.id = current_environments.environment_id
left join tables on tables.environment_id = current_environments.environment_id
left join table_rows on table_rows.environment_id = current_environments.environment_id
left join tool_counts on tool_counts.environment_id = current_environments.environment_id
left join test_counts on test_counts.environment_id = current_environments.environment_id
left join task_counts on task_counts.environment_id = current_environments.environment_id
order by current_environments.theme_name;
