-- Which hosts can never be booked, because no inventory counts their seats?
-- severity: critical
-- table: seat_inventory
SELECT host.{host_table_key} AS row_key, 'no inventory' AS detail
FROM {host} AS host
WHERE NOT EXISTS (SELECT 1 FROM {seat_inventory} AS inventory WHERE inventory.{host_key} = host.{host_table_key})
ORDER BY host.{host_table_key}
