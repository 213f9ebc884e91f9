-- On which hosts do the seats of bookings that are not cancelled exceed the capacity?
-- severity: critical
-- table: seat_inventory
SELECT inventory.{host_key} AS row_key, SUM(booking.seats) || ' booked of ' || inventory.capacity AS detail
FROM {seat_inventory} AS inventory
JOIN {bookings} AS booking ON booking.{host_key} = inventory.{host_key}
WHERE booking.status <> 'cancelled'
GROUP BY inventory.{host_key}
HAVING SUM(booking.seats) > inventory.capacity
ORDER BY inventory.{host_key}
