-- What was built in each round of evolution, and what became of the policy?
select
    evolutions.round,
    coalesce(before.name, evolutions.before_id) as policy_before,
    coalesce(after.name, evolutions.after_id) as policy_after,
    evolutions.guidelines,
    evolutions.grown,
    evolutions.tasks,
    round((evolutions.rates_before ->> '$.pass_at_1.rate')::double, 4) as pass_before,
    round((evolutions.rates_after ->> '$.pass_at_1.rate')::double, 4) as pass_after,
    evolutions.outcome,
    evolutions.reason,
    evolutions.created_at
from evolutions
left join policies as before on before.id = evolutions.before_id
left join policies as after on after.id = evolutions.after_id
order by evolutions.created_at, evolutions.round;
