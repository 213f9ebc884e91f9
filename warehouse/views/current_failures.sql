-- Why did each failed attempt fail, by the latest diagnosis of its policy and round?
create or replace view current_failures as
select
    split_part(latest_batches.subject_id, '/', 1) as policy_id,
    try_cast(split_part(latest_batches.subject_id, '/', 2) as integer) as round,
    coalesce(environments.theme_name, failures.environment_id) as theme_name,
    failures.environment_id,
    failures.rollout_id,
    failures.task_id,
    failures.cause,
    failures.step,
    failures.gold_step,
    failures.tool,
    failures.evidence
from failures
join latest_batches on latest_batches.id = failures.batch_id and latest_batches.stage = 'diagnose'
left join environments on environments.id = failures.environment_id;
