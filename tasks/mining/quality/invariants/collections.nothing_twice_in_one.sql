-- Which collections have the same thing twice?
-- severity: critical
-- table: collection_entries
SELECT collection_id AS row_key, COUNT(*) || ' times ' || {host_key} AS detail
FROM {collection_entries}
GROUP BY collection_id, {host_key}
HAVING COUNT(*) > 1
ORDER BY collection_id, {host_key}
