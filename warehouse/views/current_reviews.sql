-- What does a person say of a task? The latest word.
create or replace view current_reviews as
select task_id, verdict, reason, author, created_at
from reviews
qualify row_number() over (partition by task_id order by created_at desc, id desc) = 1;
