-- Which borrowers have two copies of one thing?
-- severity: critical
-- table: loans
SELECT borrower_id AS row_key, COUNT(*) || ' copies of ' || {host_key} AS detail
FROM {loans}
WHERE status = 'out'
GROUP BY borrower_id, {host_key}
HAVING COUNT(*) > 1
ORDER BY borrower_id, {host_key}
