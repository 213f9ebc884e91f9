-- Which rows have more about them than a guard of the operations would ever let happen?
-- severity: critical
SELECT row_key, used || ' is not ' || {operator} || ' ' || allowed AS detail
FROM (SELECT {key} AS row_key, {used} AS used, {allowed} AS allowed FROM {table} AS holder)
WHERE NOT (used {comparison} allowed)
ORDER BY row_key
