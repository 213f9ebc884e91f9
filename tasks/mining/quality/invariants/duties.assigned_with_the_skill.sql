-- Which assignments are of somebody without the skill that the duty needs?
-- severity: critical
-- table: assignments
SELECT assignment.assignment_id AS row_key, member.skill || ' for ' || duty.skill AS detail
FROM {assignments} AS assignment
JOIN {duties} AS duty ON duty.duty_id = assignment.duty_id
JOIN {staff_members} AS member ON member.staff_id = assignment.staff_id
WHERE member.skill <> duty.skill
ORDER BY assignment.assignment_id
