-- Does the table hold another number of rows than its profile says?
-- severity: critical
SELECT NULL AS row_key, found || ' rows, profiled ' || :rows AS detail
FROM (SELECT COUNT(*) AS found FROM {table})
WHERE found <> :rows
