-- What did a run refuse, by stage, kind and reason?
-- $run: id of the run
select stage, subject_kind, reason, count(*) as rejected
from rejections
where run_id = $run
group by stage, subject_kind, reason
order by stage, subject_kind, reason;
