-- Which tables has environment $environment_id?
select distinct table_name from profiles where environment_id = $environment_id order by table_name
