-- Which orders have another total than their lines add up to?
-- severity: critical
-- table: sales_orders
SELECT sale.sales_order_id AS row_key,
  sale.total || ' with lines of ' || COALESCE(SUM(line.quantity * line.unit_price), 0) AS detail
FROM {sales_orders} AS sale
LEFT JOIN {order_lines} AS line ON line.sales_order_id = sale.sales_order_id
GROUP BY sale.sales_order_id
HAVING ABS(sale.total - COALESCE(SUM(line.quantity * line.unit_price), 0)) > 0.005
ORDER BY sale.sales_order_id
