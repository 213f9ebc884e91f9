-- Which code version and seed did a run start with?
-- $run: id of the run
select code_version, seed from runs where id = $run;
