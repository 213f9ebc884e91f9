-- Which buyers owe more on open orders than their credit limit?
-- severity: critical
-- table: buyers
SELECT buyer.buyer_id AS row_key, SUM(sale.total) || ' of ' || buyer.credit_limit AS detail
FROM {buyers} AS buyer
JOIN {sales_orders} AS sale ON sale.buyer_id = buyer.buyer_id AND sale.status = 'open'
GROUP BY buyer.buyer_id
HAVING SUM(sale.total) > buyer.credit_limit + 0.005
ORDER BY buyer.buyer_id
