-- What was left out of each table of the current environments, or mended in it, and why?
with notes as (
    select
        current_environments.theme_name,
        unnest(from_json(environments.profile -> '$.sampling',
            '[{"table": "varchar", "split_from": "varchar", "rows_read": "bigint", "rows_unreadable": "bigint",
               "rows_beyond_limit": "bigint", "rows_out_of_range": "bigint", "rows_without_key": "bigint",
               "rows_with_dangling_reference": "bigint", "rows_not_sampled": "bigint", "rows_kept": "bigint",
               "references_nulled": "bigint", "columns_left_out": ["varchar"], "repairs": ["varchar"]}]')) as note
    from current_environments
    join environments on environments.id = current_environments.environment_id
)
select theme_name, unnest(note) from notes order by theme_name, note."table";
