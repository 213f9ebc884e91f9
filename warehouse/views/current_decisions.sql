-- What was decided about the current themes and environments, and in the rounds that they grew by?
create or replace view current_decisions as
with subjects as (
    select theme_name, stage, theme_id as subject_id
    from current_environments
    cross join (values ('discover'), ('mine')) as early(stage)
    union all
    select theme_name, stage, environment_id
    from current_environments
    cross join (values ('build_tools'), ('synthesize')) as late(stage)
    union all
    select theme_name, 'complexify', ancestor_id from environment_ancestry
)
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
join subjects
    on subjects.stage = latest_batches.stage
    and subjects.subject_id = split_part(latest_batches.subject_id, '/', 1)  -- a round's is parent/number
join current_environments on current_environments.theme_name = subjects.theme_name
left join rejections on rejections.id = decisions.rejection_id;
