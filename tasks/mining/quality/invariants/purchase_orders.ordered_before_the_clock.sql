-- Which orders were made after the first reading of the world's clock?
-- severity: critical
-- table: purchase_orders
SELECT order_id AS row_key, created_at AS detail
FROM {purchase_orders}
WHERE created_at >= :clock_start
ORDER BY order_id
