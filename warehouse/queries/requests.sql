-- What do requests read like? A random sample of the current tasks.
-- $count: how many [default 30]
-- $seed: another number gives another sample [default 0]
select theme_name, kind, language, level, gold_calls, request
from current_tasks
order by md5(id || $seed::varchar)
limit $count::bigint;
