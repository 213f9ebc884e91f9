-- Which requests have no reviewer though one works or worked on them, or one though they wait for it?
-- severity: critical
-- table: review_requests
SELECT request_id AS row_key, status || ' with ' || COALESCE('reviewer ' || reviewer_id, 'no reviewer') AS detail
FROM {review_requests}
WHERE (status IN ('assigned', 'done') AND reviewer_id IS NULL) OR (status = 'requested' AND reviewer_id IS NOT NULL)
ORDER BY request_id
