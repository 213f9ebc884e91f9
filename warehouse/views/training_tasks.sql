-- Which current tasks may a policy be trained on, and are more than practice?
create or replace view training_tasks as
select * from trainable_tasks where coalesce(level, 1) > 0;
