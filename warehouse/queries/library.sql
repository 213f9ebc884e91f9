-- Which files of a user's library were considered for each current theme, and what became of them?
select
    current_environments.theme_name,
    library_trail.file,
    library_trail.outcome,
    library_trail.tables,
    library_trail.why,
    library_trail.query,
    library_trail.score
from library_trail
join current_environments on current_environments.theme_id = library_trail.theme_id
order by current_environments.theme_name, library_trail.position;
