-- How much of what was proposed survived each stage, and why was the rest refused?
select stage, subject_kind, proposed, kept, rejected, rejected_by_reason from funnel;
