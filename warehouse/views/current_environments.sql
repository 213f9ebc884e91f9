-- Which environment of each theme counts now? The one in the latest run that touched the theme.
-- A theme that was refused has a row without an environment. `state` is accepted once the tool
-- gate kept the environment, rejected when it or the theme was refused, unfinished before.
create or replace view current_environments as
with touched as (
    select
        coalesce(themes.name, run_environments.theme_id) as theme_name,
        run_environments.theme_id,
        run_environments.environment_id,
        run_environments.run_id,
        row_number() over (
            partition by coalesce(themes.name, run_environments.theme_id)
            order by run_environments.created_at desc, run_environments.id desc
        ) as age
    from run_environments
    left join themes on themes.id = run_environments.theme_id
),
judged as (
    select decisions.subject_id as environment_id, decisions.outcome
    from decisions
    join latest_batches on latest_batches.id = decisions.batch_id
    where decisions.subject_kind = 'environment' and decisions.stage = 'build_tools'
    qualify row_number() over (partition by decisions.subject_id order by decisions.outcome desc) = 1
)
select
    touched.theme_name,
    touched.theme_id,
    touched.environment_id,
    environments.version,
    case
        when touched.environment_id is null or judged.outcome = 'rejected' then 'rejected'
        when judged.outcome = 'kept' then 'accepted'
        else 'unfinished'
    end as state,
    touched.run_id
from touched
left join environments on environments.id = touched.environment_id
left join judged on judged.environment_id = touched.environment_id
where touched.age = 1;
