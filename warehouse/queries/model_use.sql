-- How many calls, tokens and dollars did each role's model take for a theme, on the mean?
-- What was answered from the cache is left out; dollars are null where a call has no price.
select
    role,
    model,
    count(distinct theme_name) as themes,
    count(*) / count(distinct theme_name) as calls,
    sum(tokens_in + tokens_out) / count(distinct theme_name) as tokens,
    case when count(*) = count(cost) then sum(cost) / count(distinct theme_name) end as dollars
from theme_calls
where not cached and theme_name is not null
group by role, model
order by role, model;
