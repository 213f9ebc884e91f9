-- Which environment did a run come to for each of its themes? Null: the theme was refused.
-- $run: id of the run
select theme_id, environment_id
from run_environments
where run_id = $run
order by theme_id;
