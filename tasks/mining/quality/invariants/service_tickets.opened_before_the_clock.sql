-- Which tickets were opened after the first reading of the world's clock?
-- severity: critical
-- table: tickets
SELECT ticket_id AS row_key, opened_at AS detail
FROM {tickets}
WHERE opened_at >= :clock_start
ORDER BY ticket_id
