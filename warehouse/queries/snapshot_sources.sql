-- From which sources do these environments come, and under which licences?
-- $environments: ids of environments
select distinct themes.name as theme, sources.package, sources.version, sources.file, sources.licence, sources.sha256
from environments
join themes on themes.id = environments.theme_id
join sources on sources.theme_id = environments.theme_id
where list_contains($environments::varchar[], environments.id)
order by all;
