-- Is the file damaged, or does a row break one of its own constraints?
-- severity: critical
SELECT NULL AS row_key, integrity_check AS detail
FROM pragma_integrity_check
WHERE integrity_check <> 'ok'
