-- Which keys does more than one row have?
-- severity: critical
SELECT {key} AS row_key, COUNT(*) || ' rows' AS detail
FROM {table}
GROUP BY {key}
HAVING COUNT(*) > 1
ORDER BY {key}
