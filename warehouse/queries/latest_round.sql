-- Which is the latest round that policies were to be evaluated in? 0: none.
select coalesce(max(round), 0) as round from task_pools where pool <> 'training';
