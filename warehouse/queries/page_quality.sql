-- What did the quality gate find in these environments, or in the world of a theme that it refused?
-- $ids: list of ids of environments; the current ones, and worlds of refused themes, when null [default null]
select
    coalesce(themes.name, quality_results.theme_id) as theme_name,
    quality_results.theme_id,
    quality_results.environment_id,
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
left join themes on themes.id = quality_results.theme_id
where
    case
        when $ids::varchar[] is null
            then quality_results.environment_id in (select environment_id from current_environments)
            or quality_results.theme_id in (select theme_id from current_environments where environment_id is null)
        else list_contains($ids::varchar[], quality_results.environment_id)
    end
order by theme_name, quality_results.environment_id, quality_results.position;
