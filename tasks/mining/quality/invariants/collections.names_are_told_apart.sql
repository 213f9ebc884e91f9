-- Which collections have another one's name, so that a request by name could mean either?
-- severity: critical
-- table: collections
SELECT collection_id AS row_key, collection_name AS detail
FROM {collections}
WHERE collection_name IN (SELECT collection_name FROM {collections} GROUP BY collection_name HAVING COUNT(*) > 1)
ORDER BY collection_id
