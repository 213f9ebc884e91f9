-- Which borrowers may borrow though something they lost is not paid for?
-- severity: critical
-- table: borrowers
SELECT borrower.borrower_id AS row_key, COUNT(*) || ' lost' AS detail
FROM {borrowers} AS borrower
JOIN {loans} AS loan ON loan.borrower_id = borrower.borrower_id AND loan.status = 'lost'
WHERE borrower.status <> 'suspended'
GROUP BY borrower.borrower_id
ORDER BY borrower.borrower_id
