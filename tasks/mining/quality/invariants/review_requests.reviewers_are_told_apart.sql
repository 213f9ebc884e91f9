-- Which reviewers have another reviewer's name, so that a request by name could mean either?
-- severity: critical
-- table: reviewers
SELECT reviewer_id AS row_key, reviewer_name AS detail
FROM {reviewers}
WHERE reviewer_name IN (SELECT reviewer_name FROM {reviewers} GROUP BY reviewer_name HAVING COUNT(*) > 1)
ORDER BY reviewer_id
