-- What did admission try on the verifiers of the current tasks, by environment?
select
    current_tasks.theme_name,
    count(*) as tasks,
    sum(proofs.mutants)::bigint as mutants,
    sum(proofs.equivalent)::bigint as equivalent,
    sum(proofs.survived)::bigint as survived,
    sum(proofs.heldout_mutants)::bigint as heldout_mutants,
    sum(proofs.heldout_survived)::bigint as heldout_survived,
    sum(proofs.variants)::bigint as variants,
    sum(proofs.variants_passed)::bigint as variants_passed,
    round(sum(proofs.cpu_s), 1) as cpu_s
from current_tasks
join proofs on proofs.task_id = current_tasks.id
group by current_tasks.theme_name
order by current_tasks.theme_name;
