-- Which open orders cost another price than their shelf says?
-- severity: critical
-- table: purchase_orders
SELECT purchase.order_id AS row_key, purchase.unit_cost || ' for ' || level.unit_cost AS detail
FROM {purchase_orders} AS purchase
JOIN {stock_levels} AS level ON level.{host_key} = purchase.{host_key}
WHERE purchase.status IN ('draft', 'approved') AND purchase.unit_cost <> level.unit_cost
ORDER BY purchase.order_id
