-- Which bookings were made after the first reading of the world's clock?
-- severity: critical
-- table: bookings
SELECT booking_id AS row_key, booked_at AS detail
FROM {bookings}
WHERE booked_at >= :clock_start
ORDER BY booking_id
