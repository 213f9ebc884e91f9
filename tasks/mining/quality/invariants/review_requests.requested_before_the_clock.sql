-- Which requests were made after the first reading of the world's clock?
-- severity: critical
-- table: review_requests
SELECT request_id AS row_key, requested_at AS detail
FROM {review_requests}
WHERE requested_at >= :clock_start
ORDER BY request_id
