-- For which theme was each model call made, and what did it take? Texts are left out; null: for none that is stored.
create or replace view theme_calls as
with subjects as (
    select id, name as theme_name from themes
    union
    select id, theme_name from environments
    union
    select tasks.id, environments.theme_name
    from tasks
    join environments on environments.id = tasks.environment_id
)
select
    subjects.theme_name,
    model_calls.id,
    model_calls.run_id,
    model_calls.role,
    model_calls.model,
    model_calls.outcome,
    model_calls.cached,
    case when model_calls.cached then 0 else model_calls.tokens_in end as tokens_in,
    case when model_calls.cached then 0 else model_calls.tokens_out end as tokens_out,
    case
        when model_calls.cached or model_calls.tokens_in + model_calls.tokens_out = 0 then 0 else model_calls.cost
    end as cost
from model_calls
left join subjects on subjects.id = model_calls.subject;
