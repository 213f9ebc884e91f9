-- Which hosts can never be ordered, because no shelf holds them?
-- severity: critical
-- table: stock_levels
SELECT host.{host_table_key} AS row_key, 'no stock level' AS detail
FROM {host} AS host
WHERE NOT EXISTS (SELECT 1 FROM {stock_levels} AS level WHERE level.{host_key} = host.{host_table_key})
ORDER BY host.{host_table_key}
