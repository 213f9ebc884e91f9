-- What was left out of each table of the current environments, or mended in it, and why?
with notes as (
    select
        current_environments.theme_name,
        unnest(from_json(environments.sampling,
            '[{"table": "varchar", "split_from": "varchar", "rows_read": "bigint", "rows_unreadable": "bigint",
               "rows_beyond_limit": "bigint", "rows_out_of_range": "bigint", "rows_without_key": "bigint",
               "rows_with_dangling_reference": "bigint", "rows_not_sampled": "bigint", "rows_kept": "bigint",
               "references_nulled": "bigint", "columns_left_out": ["varchar"], "repairs": ["varchar"]}]')) as note
    from current_environments
    join environments on environments.id = current_environments.environment_id
)
select
    theme_name,
    note."table" as table_name,
    note.split_from,
    note.rows_read,
    note.rows_kept,
    concat_ws(
        ', ',
        case when note.rows_unreadable > 0 then note.rows_unreadable || ' unreadable' end,
        case when note.rows_beyond_limit > 0 then note.rows_beyond_limit || ' beyond the limit of a file' end,
        case when note.rows_out_of_range > 0 then note.rows_out_of_range || ' out of range' end,
        case when note.rows_without_key > 0 then note.rows_without_key || ' without key' end,
        case when note.rows_with_dangling_reference > 0
            then note.rows_with_dangling_reference || ' that refer to nothing' end,
        case when note.rows_not_sampled > 0 then note.rows_not_sampled || ' not sampled' end
    ) as rows_left_out,
    array_to_string(note.columns_left_out, ', ') as columns_left_out,
    concat_ws(
        '; ',
        array_to_string(note.repairs, '; '),
        case when note.references_nulled > 0 then note.references_nulled || ' references to nothing are null' end
    ) as mended
from notes
order by theme_name, table_name;
