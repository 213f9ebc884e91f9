-- What is stored of each round of evolution, in their order?
select round, before_id, after_id, guidelines, grown, tasks, rates_before, rates_after, outcome, reason
from evolutions
order by created_at, round;
