"""Long texts: in parts of a few kB, each text once, so that a batch writes none of the older ones anew."""

from __future__ import annotations

from schemas.identity import content_id
from warehouse.stamp import Row, Stamp

PART = 4_000
"""Characters of a part. A whole module of 80 kB in one row costs twenty times as much to write, and more with every other."""


def text_rows(text: str, stamp: Stamp) -> tuple[str, list[Row]]:
    """Return a text's id and the rows of `text_parts` that hold it."""
    text_id = content_id("text", text)
    rows = [
        stamp.mark(
            content_id("text_part", text_id, first), text_id=text_id, position=position, part=text[first : first + PART]
        )
        for position, first in enumerate(range(0, max(len(text), 1), PART))
    ]
    return text_id, rows
