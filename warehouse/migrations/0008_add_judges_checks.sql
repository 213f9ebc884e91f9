-- Why: a task's rubric may have checks that a judge decides, beside those of its verdict.
-- Ids were primary keys before this: a home that is older keeps the indexes, which slow its writing as it grows, and works all the same.
comment on table checks is 'A task''s rubric. A verdict needs all checks of kind code; those of kind judge are for rewards by rubric.';
comment on column checks.kind is 'code; or judge: a statement that a calibrated judge decides as the code check of its field does';
comment on column checks.points is 'share of 100, of each kind';
comment on column contributions.kind is 'table, tool, test, edge, round, request, task, statement, answer, verdict, claim, theme or label';
