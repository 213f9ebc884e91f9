-- Which guidelines came of the latest diagnosis of a policy in a round?
-- $policy: id of the policy
-- $round: round
select
    guidelines.environment_id, guidelines.cause, guidelines.lacking, guidelines.tools, guidelines.shapes,
    guidelines.level, guidelines.least, guidelines.growth, guidelines.rollout_ids
from latest_batches
join decisions on decisions.batch_id = latest_batches.id
join guidelines on guidelines.id = decisions.subject_id
where
    latest_batches.stage = 'diagnose'
    and latest_batches.subject_id = $policy || '/' || $round::integer
    and decisions.subject_kind = 'guideline'
order by decisions.position;
