-- Which crews have more tickets assigned than they can take?
-- severity: critical
-- table: crews
SELECT crew.crew_id AS row_key, COUNT(*) || ' assigned of ' || crew.max_open AS detail
FROM {crews} AS crew
JOIN {tickets} AS ticket ON ticket.crew_id = crew.crew_id
WHERE ticket.status = 'assigned'
GROUP BY crew.crew_id
HAVING COUNT(*) > crew.max_open
ORDER BY crew.crew_id
