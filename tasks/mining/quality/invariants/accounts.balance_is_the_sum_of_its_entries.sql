-- Which accounts have another balance than their entries add up to?
-- severity: critical
-- table: accounts
SELECT account.account_id AS row_key, account.balance || ' with entries of ' || COALESCE(SUM(entry.amount), 0) AS detail
FROM {accounts} AS account
LEFT JOIN {account_entries} AS entry ON entry.account_id = account.account_id
GROUP BY account.account_id
HAVING account.balance <> COALESCE(SUM(entry.amount), 0)
ORDER BY account.account_id
