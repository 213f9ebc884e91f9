-- Which rows refer to a row that is not there?
-- severity: critical
SELECT child.{key} AS row_key, child.{column} AS detail
FROM {table} AS child
WHERE child.{column} IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM {to_table} AS parent WHERE parent.{to_column} = child.{column})
ORDER BY child.{key}
