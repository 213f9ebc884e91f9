-- Which rows of a table that was split off another one does no row refer to? Sampling can leave some.
-- severity: warning
SELECT {key} AS row_key, 'referred to by no row' AS detail
FROM {table}
WHERE {key} NOT IN ({referring})
ORDER BY {key}
