-- Which tools do the current environments have?
create or replace view current_tools as
select current_decisions.theme_name, current_decisions.position, tools.*
from current_decisions
join tools on tools.id = current_decisions.subject_id
where current_decisions.subject_kind = 'tool' and current_decisions.outcome = 'kept';
