-- Which subscribers' live subscriptions cost more than their monthly budget?
-- severity: critical
-- table: subscribers
SELECT subscriber.subscriber_id AS row_key,
  SUM(subscription.monthly_price) || ' of ' || subscriber.monthly_budget AS detail
FROM {subscribers} AS subscriber
JOIN {subscriptions} AS subscription ON subscription.subscriber_id = subscriber.subscriber_id
WHERE subscription.status <> 'ended'
GROUP BY subscriber.subscriber_id
HAVING SUM(subscription.monthly_price) > subscriber.monthly_budget
ORDER BY subscriber.subscriber_id
