"""Promotion: a label that other tables name becomes its table's key.

Tables of different files often share names and nothing else: a country of drinks and one of an audience. A
surrogate number links nothing, so a table that has one, and a label that is unique and never null, is keyed by the
label as soon as a text column of another table holds its values: by the column's name, or by the values alone
(the rules of tasks/mining/relations/references.py). Of two tables whose labels name each other's rows the larger is promoted.
"""

from __future__ import annotations

from dataclasses import replace

from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.labels import choose_label
from tasks.mining.relations.references import find_references, referring_columns


def promote_labels(tables: dict[str, ExtractedTable]) -> dict[str, ExtractedTable]:
    """Return the tables by name, in their order, with labels for keys where another table refers to them."""
    promoted = dict(tables)
    largest_first = sorted(tables, key=lambda name: (-tables[name].frame.height, name))
    for name in largest_first:
        keyed = _keyed_by_label(promoted[name])
        others = {other: table for other, table in promoted.items() if other != name}
        if keyed is not None and any(_refers(table, keyed) for table in others.values()):
            promoted[name] = keyed
    # A column may refer to another table with better evidence: what nobody refers to keeps its number.
    named = {reference.foreign.to_table for reference in find_references(promoted)}
    return {name: table if name in named else tables[name] for name, table in promoted.items()}


def _keyed_by_label(table: ExtractedTable) -> ExtractedTable | None:
    """Return the table with its label as key and without the surrogate; None when it has no such label."""
    if not table.has_surrogate_key or table.recipe.columns:
        return None
    label = table.recipe.label or choose_label(table.frame, table.types, table.key, table.singular)
    if label is None or table.frame[label].n_unique() < table.frame.height:
        return None
    frame = table.frame.select(label, *(c for c in table.frame.columns if c not in (label, table.key))).sort(label)
    types = {name: table.types[name] for name in frame.columns}
    return replace(table, frame=frame, types=types, key=label, key_is_opaque=False, has_surrogate_key=False)


def _refers(table: ExtractedTable, keyed: ExtractedTable) -> bool:
    texts = {column for column in referring_columns(table, {keyed.name: keyed}) if table.types[column] == "text"}
    own = table.frame.columns
    return any(column in texts for column in own if column != table.key)
