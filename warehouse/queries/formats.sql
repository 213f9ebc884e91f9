-- How many files of each native format do the current environments hold? Each has one SQLite database.
select format, count(*) as files from documents group by format
union all
select 'sqlite', count(*) from current_environments where environment_id is not null
order by format;
