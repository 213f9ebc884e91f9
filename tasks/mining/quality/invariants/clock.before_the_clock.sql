-- Which rows were written, by what a column says, after the first reading of the world's clock?
-- severity: critical
SELECT {key} AS row_key, {column} AS detail
FROM {table}
WHERE {column} >= :clock_start
ORDER BY {key}
