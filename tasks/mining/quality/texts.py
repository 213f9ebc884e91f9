"""Texts: a view of a world's distinct texts, and the traces that careless reading leaves in them."""

from __future__ import annotations

import polars as pl

from schemas.profiles import WorldProfile
from tasks.mining.quality.expected import Batch, Expected
from tasks.mining.quality.tables import mined_tables, sound_columns

MOST_TEXTS = 4_000
"""Distinct texts looked at in a column, spread evenly over its sorted texts."""

# Second bytes of UTF-8 as cp1252 shows them: what follows Ã or Â in text that was read by the wrong table.
_CONTINUED = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_TAGS = "a|abbr|b|blockquote|br|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|script|small|span|strong|style|sub|sup|table|td|th|tr|u|ul"

PATTERNS = {
    "expect_texts_without_null_tokens": (
        r"^(?:[nN]/[aA]\.?|NaN|nan|NULL|null|<NA>|NaT|None|\\N|#(?:REF!|N/A|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)|-{1,3}|\?+|\s*)$",
        "no text that stands for no value",
    ),
    "expect_texts_without_mojibake": (
        f"[ÃÂ][{_CONTINUED}]|â€[{_CONTINUED}]?|ï»¿|\ufffd",
        "no text read in the wrong encoding",
    ),
    "expect_texts_without_markup": (
        rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>|&(?:[a-zA-Z]{{2,8}}|#[0-9]{{1,6}}|#x[0-9a-fA-F]{{1,6}});",
        "no HTML tag or entity",
    ),
    "expect_texts_without_outer_whitespace": (r"^\s|\s$", "no whitespace at either end"),
    "expect_texts_without_control_characters": (
        "[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\ufeff]",
        "no invisible control character",
    ),
}


def text_batch(profile: WorldProfile, frames: dict[str, pl.DataFrame]) -> Batch:
    """Return the distinct texts of all mined text columns with the rows that hold them, and what is expected.

    Columns: table, column, text, rows. Of a column with more than `MOST_TEXTS` distinct texts, so many
    are looked at; the results' `checked` counts the rows that hold them.
    """
    parts = [
        _texts(table.name, frames[table.name][column.name])
        for table in mined_tables(profile)
        for column in sound_columns(table, frames[table.name])
        if column.type == "text"
    ]
    schema = {"table": pl.String, "column": pl.String, "text": pl.String, "rows": pl.Int64}
    return Batch(
        "texts",
        pl.concat([pl.DataFrame(schema=schema), *parts]),
        [
            Expected(
                name,
                "ExpectColumnValuesToNotMatchRegex",
                {"column": "text", "regex": pattern},
                "warning",
                says,
            )
            for name, (pattern, says) in PATTERNS.items()
        ],
        located=("table", "column"),
    )


def _texts(table: str, values: pl.Series) -> pl.DataFrame:
    counted = values.drop_nulls().value_counts(name="rows").sort(values.name)
    step = -(-counted.height // MOST_TEXTS) or 1
    return counted.gather_every(step).select(
        pl.lit(table).alias("table"),
        pl.lit(values.name).alias("column"),
        pl.col(values.name).alias("text"),
        pl.col("rows").cast(pl.Int64),
    )
