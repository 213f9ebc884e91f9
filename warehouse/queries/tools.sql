-- Which tools do the current environments have, and how many of their tests pass?
-- $theme: only this theme; all when null [default null]
select
    current_tools.theme_name,
    current_tools.name,
    current_tools.operation,
    current_tools.read_only,
    count(tool_tests.id) as tests,
    count(tool_tests.id) filter (where tool_tests.passed) as passed
from current_tools
left join latest_batches
    on latest_batches.stage = 'build_tools' and latest_batches.subject_id = current_tools.environment_id
left join tool_tests on tool_tests.batch_id = latest_batches.id and tool_tests.tool = current_tools.name
where $theme::varchar is null or current_tools.theme_name = $theme
group by current_tools.theme_name, current_tools.name, current_tools.operation, current_tools.read_only,
    current_tools.position
order by current_tools.theme_name, current_tools.position;
