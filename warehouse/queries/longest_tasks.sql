-- Which current tasks need the most calls?
-- $count: how many rows [default 10]
select theme_name, id, kind, gold_calls, unique_tools, requires_change, request
from current_tasks
order by gold_calls desc, id
limit $count::bigint;
