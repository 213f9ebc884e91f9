-- Which shelves overflow when all open orders arrive?
-- severity: critical
-- table: stock_levels
SELECT level.{host_key} AS row_key,
  level.on_hand || ' on hand and ' || SUM(purchase.quantity) || ' ordered of ' || level.shelf_capacity AS detail
FROM {stock_levels} AS level
JOIN {purchase_orders} AS purchase ON purchase.{host_key} = level.{host_key}
WHERE purchase.status IN ('draft', 'approved')
GROUP BY level.{host_key}
HAVING level.on_hand + SUM(purchase.quantity) > level.shelf_capacity
ORDER BY level.{host_key}
