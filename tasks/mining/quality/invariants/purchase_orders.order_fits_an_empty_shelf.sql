-- Which orders, whatever became of them, were for more than their shelf can ever hold?
-- severity: critical
-- table: purchase_orders
SELECT purchase.order_id AS row_key, purchase.quantity || ' ordered of ' || level.shelf_capacity AS detail
FROM {purchase_orders} AS purchase
JOIN {stock_levels} AS level ON level.{host_key} = purchase.{host_key}
WHERE purchase.quantity > level.shelf_capacity
ORDER BY purchase.order_id
