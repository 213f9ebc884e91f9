-- What was refused, by stage, reason and theme, with one example each?
select
    stage,
    subject_kind,
    reason,
    theme_name,
    count(*) as rejected,
    min(detail) as example
from current_decisions
where outcome = 'rejected'
group by stage, subject_kind, reason, theme_name
order by rejected desc, stage, subject_kind, reason, theme_name;
