-- Which requests are about nothing?
-- severity: critical
-- table: review_requests
SELECT request_id AS row_key, 'no subject' AS detail
FROM {review_requests}
WHERE TRIM(subject) = ''
ORDER BY request_id
