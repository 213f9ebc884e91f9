"""How results look: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

WIDTH_OF_A_PIPE = 200
"""Columns of a table that no terminal sees: wide enough not to fold a request's first words."""
LONGEST_CELL = 120


def console(stderr: bool = False) -> Console:
    """Return a console that does not fold tables at 80 columns when its output is a pipe."""
    plain = Console(stderr=stderr, highlight=False)
    return plain if plain.is_terminal else Console(stderr=stderr, highlight=False, width=WIDTH_OF_A_PIPE)


def print_json(value: Any) -> None:
    """Print one JSON object or list; dates and decimals as text."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Print a table: numbers to the right, null as an empty cell, long cells cut at LONGEST_CELL."""
    rows = [list(row) for row in rows]
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        values = [row[index] for row in rows if row[index] is not None]
        numeric = bool(values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console().print(table, markup=False)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
