-- What did the models of each role do, and what became of what they proposed?
-- Tokens and dollars are those of calls that were sent; dollars are null where a call has no price.
with roles(role, position) as (
    values
        ('research', 1), ('coder', 2), ('tester', 3), ('writer', 4), ('solver', 5), ('judge', 6),
        ('diagnostician', 7), ('themes', 8), ('taxonomy', 9)
),
made as (
    select
        role,
        count(*) as calls,
        sum(tokens_in)::bigint as tokens_in,
        sum(tokens_out)::bigint as tokens_out,
        case when count(*) = count(cost) then sum(cost) end as cost,
        count(*) filter (where cached) as cached,
        count(*) filter (where outcome = 'parsed') as parsed,
        count(*) filter (where outcome = 'refused') as refused,
        count(*) filter (where outcome = 'error') as errors
    from theme_calls
    group by role
),
decided as (
    select
        role,
        sum(proposals) filter (where outcome = 'kept')::bigint as kept,
        string_agg(gate || ' ' || proposals, ', ' order by proposals desc, gate) filter (where outcome = 'refused')
            as refused_by
    from (select role, outcome, gate, count(*) as proposals from contributions group by role, outcome, gate)
    group by role
)
select
    roles.role,
    coalesce(made.calls, 0) as calls,
    coalesce(made.tokens_in, 0) as tokens_in,
    coalesce(made.tokens_out, 0) as tokens_out,
    case when made.calls is null then 0 else made.cost end as cost,
    coalesce(made.cached, 0) as cached,
    coalesce(made.parsed, 0) as parsed,
    coalesce(made.refused, 0) as refused,
    coalesce(made.errors, 0) as errors,
    coalesce(decided.kept, 0) as kept,
    decided.refused_by
from roles
left join made on made.role = roles.role
left join decided on decided.role = roles.role
order by roles.position;
