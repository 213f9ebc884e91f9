-- Which requests were approved by somebody who may not sign for so much?
-- severity: critical
-- table: spending_requests
SELECT request.request_id AS row_key, request.amount || ' signed, limit ' || approver.signing_limit AS detail
FROM {spending_requests} AS request
JOIN {approvers} AS approver ON approver.approver_id = request.approver_id
WHERE request.amount > approver.signing_limit
ORDER BY request.request_id
