-- Does a row refer to nothing by a reference that the file itself declares?
-- severity: critical
SELECT rowid AS row_key, "table" || ' refers to no row of ' || parent AS detail
FROM pragma_foreign_key_check
ORDER BY "table", rowid
