-- Which enrolments are of somebody below the session's level?
-- severity: critical
-- table: enrolments
SELECT enrolment.enrolment_id AS row_key, 'level ' || attendee.level || ' of ' || session.level AS detail
FROM {enrolments} AS enrolment
JOIN {sessions} AS session ON session.session_id = enrolment.session_id
JOIN {attendees} AS attendee ON attendee.attendee_id = enrolment.attendee_id
WHERE attendee.level < session.level
ORDER BY enrolment.enrolment_id
