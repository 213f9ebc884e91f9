-- In which environments does a policy fail more than elsewhere, and why? By the latest diagnosis of each policy and round.
-- $policy: id or name of the policy; all when null [default null]
-- $round: round; all when null [default null]
select
    coalesce(policies.name, diagnoses.policy_id) as policy,
    diagnoses.round,
    diagnoses.author,
    diagnoses.rank,
    coalesce(environments.theme_name, diagnoses.environment_id) as theme_name,
    diagnoses.environment_id,
    diagnoses.attempts,
    diagnoses.failures,
    round(diagnoses.pass_rate, 3) as pass_rate,
    round(diagnoses.expected, 2) as expected,
    diagnoses.p_value,
    diagnoses.named,
    diagnoses.causes
from diagnoses
join latest_batches on latest_batches.id = diagnoses.batch_id
left join policies on policies.id = diagnoses.policy_id
left join environments on environments.id = diagnoses.environment_id
where
    ($policy::varchar is null or $policy in (diagnoses.policy_id, policies.name))
    and ($round::integer is null or diagnoses.round = $round::integer)
order by diagnoses.round desc, policy, diagnoses.policy_id, diagnoses.author desc, diagnoses.rank;
