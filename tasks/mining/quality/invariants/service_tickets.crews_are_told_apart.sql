-- Which crews have another crew's name, so that a request by name could mean either?
-- severity: critical
-- table: crews
SELECT crew_id AS row_key, crew_name AS detail
FROM {crews}
WHERE crew_name IN (SELECT crew_name FROM {crews} GROUP BY crew_name HAVING COUNT(*) > 1)
ORDER BY crew_id
