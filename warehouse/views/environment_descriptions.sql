-- What are the tables, operations and documents of an environment, whole?
create or replace view environment_descriptions as
select
    environments.id as environment_id,
    texts.text::json -> '$.profile' as profile,
    texts.text::json -> '$.operations' as operations,
    texts.text::json -> '$.documents' as documents
from environments
join texts on texts.text_id = environments.text_id;
