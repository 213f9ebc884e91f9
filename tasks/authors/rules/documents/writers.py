"""Documents as text, one writer a format: values, rows, sections with tables, named statements.

What is written reads back equal by the document tools and by `readers.py`; a property test holds it.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from schemas.documents import DocumentFormat

Cell = str | int | float | None
LONGEST_NAME = 80
_TEX = str.maketrans({mark: f"\\{mark}" for mark in "%&_#${}"}) | {
    ord("\\"): "\\textbackslash{}",
    ord("~"): "\\textasciitilde{}",
    ord("^"): "\\textasciicircum{}",
}


@dataclass(frozen=True)
class Table:
    """Rows under named columns; the first column names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs, and a table if there is one."""

    heading: str
    paragraphs: tuple[str, ...]
    table: Table | None = None


@dataclass(frozen=True)
class Statement:
    """A saved query: its name in plain words, what it is for, and its SQL."""

    name: str
    about: str
    sql: str


def can_be_written(value: Any) -> bool:
    """Say whether a number reads back equal from every format: not too large, without an exponent, few decimals."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return (
        abs(value) < 10**14
        and (float(value).is_integer() or len(repr(value).partition(".")[2]) < 11)
        and "e" not in repr(value)
    )


def can_be_named(text: Any) -> bool:
    """Say whether a text can name a row in every format: short, on one line, without marks that some format reads."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and text == " ".join(text.split())
        and not set("|\\`<>{}[]*_#“”") & set(text)
        and re.fullmatch(r"[^\W_].*", text) is not None
    )


def write_value(form: DocumentFormat, value: Any) -> str:
    """Return a value as json or yaml."""
    if form == "json":
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000, default_flow_style=False))


def write_rows(table: Table) -> str:
    """Return a table as csv."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([[_shown(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def write_statements(about: str, statements: Sequence[Statement]) -> str:
    """Return saved queries as an SQL script."""
    blocks = [f"-- name: {s.name}\n-- {s.about}\n{s.sql.rstrip().removesuffix(';')};" for s in statements]
    return "\n\n".join(blocks) + "\n"


def write_sections(form: DocumentFormat, title: str, sections: Sequence[Section]) -> str:
    """Return sections below a title as md, html or tex; a first section without a heading introduces them."""
    return {"md": _markdown, "html": _page, "tex": _latex}[form](title, sections)


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell)


def _markdown(title: str, sections: Sequence[Section]) -> str:
    blocks = [f"# {title}"]
    for section in sections:
        blocks += [f"## {section.heading}"] if section.heading else []
        blocks += section.paragraphs
        if section.table:
            lines = [section.table.columns, ["---"] * len(section.table.columns), *section.table.rows]
            blocks.append("\n".join(f"| {' | '.join(_shown(cell) for cell in line)} |" for line in lines))
    return "\n\n".join(blocks) + "\n"


def _page(title: str, sections: Sequence[Section]) -> str:
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head><meta charset="utf-8"><title>{html.escape(title)}</title></head>',
        "<body>",
        f"<h1>{html.escape(title)}</h1>",
    ]
    for section in sections:
        lines += [f"<h2>{html.escape(section.heading)}</h2>"] if section.heading else []
        lines += [f"<p>{html.escape(paragraph, quote=False)}</p>" for paragraph in section.paragraphs]
        if section.table:
            head = "".join(f"<th>{html.escape(name)}</th>" for name in section.table.columns)
            lines += ["<table>", f"<tr>{head}</tr>"]
            for row in section.table.rows:
                cells = "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row)
                lines.append(f"<tr>{cells}</tr>")
            lines.append("</table>")
    return "\n".join([*lines, "</body>", "</html>"]) + "\n"


def _latex(title: str, sections: Sequence[Section]) -> str:
    lines = ["\\documentclass{article}", f"\\title{{{title.translate(_TEX)}}}", "\\begin{document}", "\\maketitle"]
    for section in sections:
        lines += ["", f"\\section{{{section.heading.translate(_TEX)}}}"] if section.heading else []
        for paragraph in section.paragraphs:
            lines += ["", paragraph.translate(_TEX)]
        if section.table:
            lines += ["", f"\\begin{{tabular}}{{{'l' * len(section.table.columns)}}}"]
            lines += [" & ".join(name.translate(_TEX) for name in section.table.columns) + " \\\\ \\hline"]
            lines += [" & ".join(_shown(cell).translate(_TEX) for cell in row) + " \\\\" for row in section.table.rows]
            lines.append("\\end{tabular}")
    return "\n".join([*lines, "", "\\end{document}"]) + "\n"
