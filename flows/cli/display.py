"""How results look: tables for people, JSON for programs."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_A_PIPE = 200
"""Columns of a table that no terminal sees: wide enough not to fold a request's first words."""
LONGEST_CELL = 120
NARROWEST_COLUMN = 9
"""Characters: in a terminal with less for each column, a table would fold every word."""
WIDEST_PAGE = 120
"""Columns of a page on a wide terminal: longer lines are hard to read."""


def console(stderr: bool = False) -> Console:
    """Return a console that does not fold tables at 80 columns when its output is a pipe."""
    plain = Console(stderr=stderr, highlight=False)
    return plain if plain.is_terminal else Console(stderr=stderr, highlight=False, width=WIDTH_OF_A_PIPE)


def as_typed(command: str) -> str:
    """Return a `factory …` command the way this process was called: by its path where it is not on PATH."""
    program = sys.argv[0]
    found = Path(program).name == "factory" and shutil.which("factory") is None
    return f"{program}{command.removeprefix('factory')}" if found else command


def print_json(value: Any) -> None:
    """Print one JSON object or list; dates and decimals as text."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Print a table: numbers to the right, null as an empty cell, long cells cut at LONGEST_CELL.

    More columns than the terminal has room for are printed one a line, a block a row.
    """
    rows = [list(row) for row in rows]
    target = console()
    if len(columns) * NARROWEST_COLUMN > target.width:
        _print_blocks(target, columns, rows)
        return
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for index, column in enumerate(columns):
        numeric = _is_numeric([row[index] for row in rows if row[index] is not None])
        table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    target.print(table)


def print_page(page: str) -> None:
    """Print markdown by rich: headings to the left, tables whose long names are folded, never cut."""
    from rich.markdown import Heading, Markdown, TableElement
    from rich.table import Table

    class LeftHeading(Heading):
        LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")

    class FoldedTable(TableElement):
        def __rich_console__(self, console: Any, options: Any) -> Any:
            for part in super().__rich_console__(console, options):
                if isinstance(part, Table):
                    for column in part.columns:
                        column.overflow = "fold"
                yield part

    class Page(Markdown):
        elements = Markdown.elements | {"heading_open": LeftHeading, "table_open": FoldedTable}

    target = console()
    target.print(Page(page), width=min(target.width, WIDEST_PAGE))


def _print_blocks(target: Console, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    width = max(map(len, columns))
    for row in rows:
        target.rule(characters="─")
        for column, value in zip(columns, row, strict=True):
            target.print(Text(f"{column:>{width}}  {_cell(value)}"))


def _is_numeric(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
