-- Which planned measurements are by somebody who was not trained on the instrument?
-- severity: critical
-- table: measurements
SELECT measurement.measurement_id AS row_key, observer.trained_on || ' for ' || instrument.kind AS detail
FROM {measurements} AS measurement
JOIN {instruments} AS instrument ON instrument.instrument_id = measurement.instrument_id
JOIN {observers} AS observer ON observer.observer_id = measurement.observer_id
WHERE measurement.status = 'planned' AND observer.trained_on <> instrument.kind
ORDER BY measurement.measurement_id
