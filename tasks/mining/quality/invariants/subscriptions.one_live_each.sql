-- Which subscribers have two live subscriptions to one thing?
-- severity: critical
-- table: subscriptions
SELECT subscriber_id AS row_key, COUNT(*) || ' live subscriptions to ' || {host_key} AS detail
FROM {subscriptions}
WHERE status <> 'ended'
GROUP BY subscriber_id, {host_key}
HAVING COUNT(*) > 1
ORDER BY subscriber_id, {host_key}
