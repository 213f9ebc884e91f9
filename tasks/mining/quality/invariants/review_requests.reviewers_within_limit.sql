-- Which reviewers have more requests assigned than they can take?
-- severity: critical
-- table: reviewers
SELECT reviewer.reviewer_id AS row_key, COUNT(*) || ' assigned of ' || reviewer.assignment_limit AS detail
FROM {reviewers} AS reviewer
JOIN {review_requests} AS request ON request.reviewer_id = reviewer.reviewer_id
WHERE request.status = 'assigned'
GROUP BY reviewer.reviewer_id
HAVING COUNT(*) > reviewer.assignment_limit
ORDER BY reviewer.reviewer_id
