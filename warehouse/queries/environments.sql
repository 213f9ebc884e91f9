-- Which environments are current, how large are they, and what came of them?
select
    theme_name, environment_id, state, archetype, world_tables, world_rows, world_bytes,
    tools, write_tools, tasks, tasks_with_change, mean_gold_calls
from environment_statistics;
