"""Widths: which columns of a wide sheet a world keeps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tasks.mining.columns.roles import role_of
from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.labels import choose_label

MOST_COLUMNS = 40
"""Of one table: more columns than that give tools with more arguments than an agent can weigh, and rows too long
to read in an answer."""

_WORTH = {"category": 4, "time": 3, "measure": 2, "text": 1}


def narrow_table(table: ExtractedTable, references: Collection[str], most: int = MOST_COLUMNS) -> ExtractedTable:
    """Return the table with at most `most` columns; the others are listed as left out.

    Key, label and references stay, then what tells most: few nulls, categories before times before measures
    before texts, earlier columns first. A recipe that names its columns is not narrowed.
    """
    frame = table.frame
    if table.recipe.columns or len(frame.columns) <= most:
        return table
    label = table.recipe.label or choose_label(frame, table.types, table.key, table.singular)
    kept = {table.key, *references} | ({label} if label else set())
    ranked = sorted(
        (name for name in frame.columns if name not in kept),
        key=lambda name: (-_worth(table, name), frame.columns.index(name)),
    )
    kept |= set(ranked[: max(most - len(kept), 0)])
    names = [name for name in frame.columns if name in kept]
    left = tuple(f"{name}: beyond {most} columns" for name in frame.columns if name not in kept)
    types = {name: table.types[name] for name in names}
    return replace(table, frame=frame.select(names), types=types, columns_left_out=(*table.columns_left_out, *left))


def _worth(table: ExtractedTable, name: str) -> float:
    present = table.frame[name].drop_nulls()
    role = role_of(name, table.types[name], present)
    varies = present.n_unique() > 1
    filled = len(present) / max(table.frame.height, 1)
    identifies = len(present) > 1 and present.n_unique() == len(present)
    worth = 4 if identifies and table.types[name] == "text" else _WORTH.get(role, 1)
    return (worth + 4 * round(filled, 1)) * varies
