-- Which instruments are planned or were used twice on a day?
-- severity: critical
-- table: measurements
SELECT instrument_id AS row_key, COUNT(*) || ' on ' || planned_on AS detail
FROM {measurements}
WHERE status <> 'called off'
GROUP BY instrument_id, planned_on
HAVING COUNT(*) > 1
ORDER BY instrument_id, planned_on
