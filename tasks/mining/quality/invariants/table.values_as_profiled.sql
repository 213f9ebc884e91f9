-- Which rows hold a value of another type than profiled, or none where there must be one?
-- severity: critical
SELECT row_key, detail
FROM (SELECT {key} AS row_key, {misfit} AS detail FROM {table})
WHERE detail IS NOT NULL
ORDER BY row_key
