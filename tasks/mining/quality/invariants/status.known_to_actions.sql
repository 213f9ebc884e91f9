-- Which rows have a status that no action knows, so that nothing leads there or away?
-- severity: warning
SELECT {key} AS row_key, {column} AS detail
FROM {table}
WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT value FROM json_each(:known))
ORDER BY {key}
