-- Which rounds of complexification were refused for the current environments, and why?
select
    environment_ancestry.theme_name,
    rounds.number,
    rounds.reason,
    rounds.detail,
    rounds.additions,
    rounds.measured_before,
    rounds.measured_after
from environment_ancestry
join rounds on rounds.parent_id = environment_ancestry.ancestor_id
join latest_batches on latest_batches.id = rounds.batch_id
where not rounds.accepted
order by environment_ancestry.theme_name, rounds.number;
