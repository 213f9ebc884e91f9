-- Which shelves are to be refilled before they can ever be full?
-- severity: critical
-- table: stock_levels
SELECT {host_key} AS row_key, reorder_point || ' of ' || shelf_capacity AS detail
FROM {stock_levels}
WHERE reorder_point > shelf_capacity
ORDER BY {host_key}
