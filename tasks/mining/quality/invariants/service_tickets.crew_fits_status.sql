-- Which tickets have no crew though one works or worked on them, or one though they wait for it?
-- severity: critical
-- table: tickets
SELECT ticket_id AS row_key, status || ' with ' || COALESCE('crew ' || crew_id, 'no crew') AS detail
FROM {tickets}
WHERE (status IN ('assigned', 'resolved') AND crew_id IS NULL) OR (status = 'open' AND crew_id IS NOT NULL)
ORDER BY ticket_id
