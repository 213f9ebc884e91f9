-- Which bookings are for nobody?
-- severity: critical
-- table: bookings
SELECT booking_id AS row_key, 'no party' AS detail
FROM {bookings}
WHERE TRIM(party) = ''
ORDER BY booking_id
