-- Which files do the current environments hold, in which formats?
create or replace view documents as
select
    current_environments.theme_name,
    environments.id as environment_id,
    document ->> '$.path' as path,
    document ->> '$.format' as format,
    document ->> '$.title' as title,
    document ->> '$.origin' as origin,
    (document ->> '$.editable')::boolean as editable,
    (document ->> '$.characters')::bigint as characters
from current_environments
join environments on environments.id = current_environments.environment_id
cross join unnest(environments.files::json[]) as entries(document);
