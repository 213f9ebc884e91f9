-- Which tickets are about nothing?
-- severity: critical
-- table: tickets
SELECT ticket_id AS row_key, 'no subject' AS detail
FROM {tickets}
WHERE TRIM(subject) = ''
ORDER BY ticket_id
