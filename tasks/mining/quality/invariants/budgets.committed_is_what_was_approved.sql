-- Which budgets have committed another amount than was approved or paid?
-- severity: critical
-- table: budgets
SELECT budget.{host_key} AS row_key, budget.committed || ' committed, approved ' || COALESCE(SUM(request.amount), 0) AS detail
FROM {budgets} AS budget
LEFT JOIN {spending_requests} AS request
  ON request.{host_key} = budget.{host_key} AND request.status IN ('approved', 'paid')
GROUP BY budget.{host_key}
HAVING budget.committed <> COALESCE(SUM(request.amount), 0)
ORDER BY budget.{host_key}
