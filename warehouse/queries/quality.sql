-- What did the quality gate find in the current environments, failures first?
select
    current_environments.theme_name,
    quality_results.suite,
    quality_results.table_name,
    quality_results.column_name,
    quality_results.expectation,
    quality_results.severity,
    quality_results.passed,
    quality_results.checked,
    quality_results.unexpected,
    quality_results.detail
from quality_results
join latest_batches on latest_batches.id = quality_results.batch_id
join current_environments on current_environments.theme_id = quality_results.theme_id
order by
    quality_results.passed,
    quality_results.severity,
    current_environments.theme_name,
    quality_results.position;
