-- What does a right answer fulfil, in words by which a judge can decide?
select
    tasks.environment_id,
    checks.task_id,
    json_extract_string(checks.spec, '$.field') as field,
    json_extract_string(checks.spec, '$.statement') as statement,
    round(checks.points, 1) as points
from checks
join current_tasks as tasks on tasks.id = checks.task_id
where checks.kind = 'judge'
order by tasks.environment_id, checks.task_id, checks.position;
