-- Which duties is somebody on twice?
-- severity: critical
-- table: assignments
SELECT duty_id AS row_key, COUNT(*) || ' active assignments of staff member ' || staff_id AS detail
FROM {assignments}
WHERE status = 'active'
GROUP BY duty_id, staff_id
HAVING COUNT(*) > 1
ORDER BY duty_id, staff_id
