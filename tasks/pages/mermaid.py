"""Mermaid diagrams that always parse: ids are ours, and every label is encoded.

Labels hold mermaid's own numeric codes (`#34;`) for all but letters, digits and a few signs, so
that no quote, bracket, comment or keyword of a name reaches the grammar. Attribute names of an ER
diagram cannot be quoted: one that is no plain word is replaced, and follows as a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.profiles import ForeignKey, TableProfile
from tasks.pages.markdown import shorten
from tasks.pages.origins import is_borrowed

MOST_TABLES = 24
MOST_WHOLE = 12
"""Tables that are drawn with all columns: of more, keys and references alone, or the letters get too small."""
MOST_COLUMNS = 10
LONGEST_LABEL = 40
"""Characters: longer names stretch every box of their row."""
NAMELESS = "no name"
"""Instead of an empty label: a box without text cannot be laid out, and the whole diagram is lost."""
WRITABLE = "stroke:#c2410c,stroke-width:2px"
"""Border of operational tables. The fill is the theme's, so that text stays legible in light and dark."""
BORROWED = "stroke:#0e7490,stroke-width:2px"
"""Border of tables whose values are from other real data."""

_TIGHT = (
    '%%{init: {"er": {"entityPadding": 8, "minEntityWidth": 40, "rankSpacing": 45, "nodeSpacing": 25, '
    '"diagramPadding": 8}}}%%'
)
"""Small gaps, from left to right: the UI shrinks a diagram to its column of some 690 pixels, letters with it."""
_PLAIN = re.compile(r"[A-Za-z0-9 _.,]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_KEYS = {"PK", "FK", "UK"}


def label(value: object, limit: int = LONGEST_LABEL) -> str:
    """Return text for use between double quotes, shortened; NAMELESS where there is nothing to show."""
    line = shorten(value, limit)
    return (
        "".join(c if _PLAIN.match(c) or (c.isalnum() and not c.isascii()) else f"#{ord(c)};" for c in line) or NAMELESS
    )


def er_diagram(tables: Sequence[TableProfile]) -> str:
    """Return an ER diagram: keys first, one line a reference; borders tell operational and borrowed tables.

    At most MOST_TABLES tables, those with most references, and MOST_COLUMNS columns each; of more than
    MOST_WHOLE tables only keys and references. The lines bear no text: the columns marked FK name the
    references, and the page's theme would hide it.
    """
    shown = drawn_tables(tables)
    ids = {table.name: f"t{position}" for position, table in enumerate(shown)}
    lines = [_TIGHT, "erDiagram", "  direction LR"]
    for table in shown:
        lines += _entity(ids[table.name], table, whole=len(tables) <= MOST_WHOLE)
    for table in shown:
        lines += [_relation(ids, table, foreign) for foreign in table.foreign_keys if foreign.to_table in ids]
    lines += _border("writable", WRITABLE, [ids[table.name] for table in shown if table.kind == "operational"])
    lines += _border("borrowed", BORROWED, [ids[table.name] for table in shown if is_borrowed(table)])
    return "\n".join(lines)


def drawn_tables(tables: Sequence[TableProfile]) -> list[TableProfile]:
    """Return the tables that a diagram has room for, in their order: those with most references."""
    degree = {table.name: len(table.foreign_keys) for table in tables}
    for table in tables:
        for foreign in table.foreign_keys:
            degree[foreign.to_table] = degree.get(foreign.to_table, 0) + 1
    ranked = sorted(range(len(tables)), key=lambda index: (-degree[tables[index].name], index))
    return [tables[index] for index in sorted(ranked[:MOST_TABLES])]


def cardinality(table: TableProfile, foreign: ForeignKey) -> tuple[str, str]:
    """Return how many rows (of the referred table, of this one) a reference joins: 'one' or 'none or one', 'many' …"""
    column = table.column(foreign.column)
    parent = "none or one" if column.nullable else "one"
    unique = foreign.column == table.key or (column.distinct == table.rows and not column.nullable)
    return parent, "none or one" if unique else "many"


def listing(tables: Sequence[TableProfile]) -> list[str]:
    """Return the references in words, one a line, for where no diagram can be drawn."""
    return [
        f"{table.name}.{foreign.column} → {foreign.to_table}.{foreign.to_column} "
        f"({' to '.join(reversed(cardinality(table, foreign)))})"
        for table in tables
        for foreign in table.foreign_keys
    ]


def _border(name: str, style: str, identifiers: Sequence[str]) -> list[str]:
    return [f"  classDef {name} {style}", f"  class {','.join(identifiers)} {name}"] if identifiers else []


def _entity(identifier: str, table: TableProfile, whole: bool) -> list[str]:
    references = {foreign.column for foreign in table.foreign_keys}
    ranked = sorted(table.columns, key=lambda c: (c.name != table.key, c.name not in references, c.name != table.label))
    ranked = ranked if whole else [column for column in ranked if column.name in {table.key, *references}]
    lines = [f'  {identifier}["{label(table.name)}"] {{']
    for position, column in enumerate(ranked[:MOST_COLUMNS]):
        keys = ["PK"] * (column.name == table.key) + ["FK"] * (column.name in references)
        plain = _WORD.match(column.name) and column.name.upper() not in _KEYS and len(column.name) <= LONGEST_LABEL
        name, comment = (column.name, "") if plain else (f"column_{position + 1}", f'"{label(column.name)}"')
        lines.append("    " + " ".join(part for part in (column.type, name, ", ".join(keys), comment) if part))
    if len(ranked) > MOST_COLUMNS:
        lines.append(f'    more columns "{label(f"… and {len(ranked) - MOST_COLUMNS} more")}"')
    return [*lines, "  }"]


_LEFT = {"one": "||", "none or one": "|o"}
_RIGHT = {"many": "o{", "none or one": "o|"}


def _relation(ids: dict[str, str], table: TableProfile, foreign: ForeignKey) -> str:
    parent, child = cardinality(table, foreign)
    return f'  {ids[foreign.to_table]} {_LEFT[parent]}--{_RIGHT[child]} {ids[table.name]} : ""'


@dataclass(frozen=True)
class Node:
    """A box of a flowchart: its lines of text, whether it is drawn dashed (refused), and its column's number."""

    id: str
    lines: tuple[str, ...]
    dashed: bool = False


def flowchart(nodes: Iterable[Node], arrows: Iterable[tuple[str, str]], direction: str = "LR") -> str:
    """Return a flowchart of nodes whose ids are plain words, joined by (from, to) arrows."""
    listed = list(nodes)
    lines = [f"flowchart {direction}"]
    lines += [f'  {node.id}["{"<br>".join(label(line) for line in node.lines)}"]' for node in listed]
    lines += [f"  {source} --> {target}" for source, target in arrows]
    dashed = [node.id for node in listed if node.dashed]
    if dashed:
        lines += ["  classDef refused stroke-dasharray:4 4", f"  class {','.join(dashed)} refused"]
    return "\n".join(lines)
