-- Which raters rated one thing twice?
-- severity: critical
-- table: ratings
SELECT rater_id AS row_key, COUNT(*) || ' ratings of ' || {host_key} AS detail
FROM {ratings}
GROUP BY rater_id, {host_key}
HAVING COUNT(*) > 1
ORDER BY rater_id, {host_key}
