-- Which holders have two accounts of a kind that are not closed?
-- severity: critical
-- table: accounts
SELECT {host_key} AS row_key, COUNT(*) || ' accounts for ' || account_kind AS detail
FROM {accounts}
WHERE status <> 'closed'
GROUP BY {host_key}, account_kind
HAVING COUNT(*) > 1
ORDER BY {host_key}, account_kind
