-- What was decided about the current themes and environments?
create or replace view current_decisions as
select
    decisions.id,
    decisions.batch_id,
    decisions.stage,
    current_environments.theme_name,
    current_environments.environment_id,
    decisions.position,
    decisions.subject_kind,
    decisions.subject_id,
    decisions.outcome,
    rejections.id as rejection_id,
    rejections.reason,
    rejections.detail
from decisions
join latest_batches on latest_batches.id = decisions.batch_id
join current_environments
    on latest_batches.subject_id = case
        when latest_batches.stage in ('discover', 'mine') then current_environments.theme_id
        else current_environments.environment_id
    end
left join rejections on rejections.id = decisions.rejection_id;
