-- By which causes does a policy fail, against what a uniformly noisy policy's failures predict, with an example of each?
-- $policy: id or name of the policy; all when null [default null]
-- $round: round; all when null [default null]
with examples as (
    select
        policy_id,
        round,
        cause,
        count(distinct environment_id) as environments,
        min(rollout_id) as rollout_id,
        min_by(evidence, rollout_id) as evidence
    from current_failures
    group by policy_id, round, cause
)
select
    coalesce(policies.name, findings.policy_id) as policy,
    findings.round,
    findings.what as cause,
    findings.failures,
    round(findings.expected, 2) as expected,
    findings.p_value,
    findings.named,
    examples.environments,
    examples.rollout_id,
    examples.evidence
from findings
join latest_batches on latest_batches.id = findings.batch_id
left join policies on policies.id = findings.policy_id
left join examples
    on examples.policy_id = findings.policy_id and examples.round = findings.round and examples.cause = findings.what
where
    findings.kind = 'cause'
    and ($policy::varchar is null or $policy in (findings.policy_id, policies.name))
    and ($round::integer is null or findings.round = $round::integer)
order by findings.round desc, policy, findings.policy_id, findings.position;
