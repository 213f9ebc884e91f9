-- Which unit tests ran in the latest batch of an environment, and how did they end?
-- $environment: id of the environment
select
    tool_tests.test_id, tool_tests.tool, tool_tests.name, tool_tests.test_case,
    tool_tests.setup, tool_tests.arguments, tool_tests.expect, tool_tests.author, tool_tests.passed, tool_tests.detail
from latest_batches
join tool_tests on tool_tests.batch_id = latest_batches.id
where latest_batches.stage = 'build_tools' and latest_batches.subject_id = $environment
order by tool_tests.position;
