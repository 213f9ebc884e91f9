-- Where does each theme stand in the taxonomy? A person's word before a model's, a model's before the rules', then the latest.
create or replace view current_classes as
select theme_name, level1, level2, level3, confidence, runner_up, author
from classes
qualify row_number() over (
    partition by theme_name order by (author = 'person') desc, (author = 'llm') desc, created_at desc, id desc
) = 1;
