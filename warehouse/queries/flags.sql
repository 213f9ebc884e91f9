-- Which tasks and environments stay out of training, and why?
select subject_kind, subject_id, kind, what, evidence, round(score, 3) as score
from flags
order by subject_kind, subject_id, kind, what;
