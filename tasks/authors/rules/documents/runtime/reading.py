"""What a document says, by its format: the part of a tools' module that reads.

json and yaml are values; csv is rows under the first line's columns; md, html and tex are sections by heading, each
with its text and the rows of its tables; sql is named statements. Cells that are plain numbers become numbers, those
of a first column stay text: they name the row.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from html.parser import HTMLParser
from typing import Any

from tasks.world.plain_yaml import parse as _document_yaml

_DOCUMENT_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,12})?")
_DOCUMENT_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DOCUMENT_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_DOCUMENT_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_DOCUMENT_DELIMITERS = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_DOCUMENT_SECTION = re.compile(r"\\(?:chapter|(?:sub){0,2}section)\*?\{((?:[^{}]|\{[^{}]*\})*)\}")
_DOCUMENT_TABULAR = re.compile(
    r"\\begin\{(tabular|longtable)\}(?:\[[^\]]*\])?\{(?:[^{}]|\{[^{}]*\})*\}(.*?)\\end\{\1\}", re.S
)
_DOCUMENT_BLOCKS = frozenset(
    "p div section article main header footer ul ol li dl dt dd table caption blockquote pre br hr tr nav aside".split()
)


def _document_content(form: str, text: str) -> dict[str, Any]:
    """Return what a text of this format holds; ValueError or csv.Error when it is not well-formed."""
    if form == "json":
        return {"value": json.loads(text)}
    if form == "yaml":
        return {"value": _document_yaml(text)}
    if form == "csv":
        return _document_rows(list(csv.reader(io.StringIO(text, newline=""), strict=True)))
    if form == "sql":
        return {"statements": _document_statements(text)}
    read = {"md": _document_markdown, "html": _document_html, "tex": _document_tex}[form]
    return {"sections": [section for section in read(text) if section["heading"] or section["text"] or section["rows"]]}


def _document_cell(text: str) -> str | int | float | None:
    """Return a cell's value: a plain number as a number, nothing as null."""
    text = text.strip()
    if _DOCUMENT_NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text or None


def _document_rows(lines: list[list[str]]) -> dict[str, Any]:
    """Return {columns, rows} of a table whose first line names its columns; what is missing is null."""
    head = [name.strip() or f"column {n}" for n, name in enumerate(lines[0], 1)] if lines else []
    rows = []
    for line in lines[1:]:
        if any(cell.strip() for cell in line):
            cells = [line[0].strip(), *map(_document_cell, line[1 : len(head)])]
            rows.append(dict(zip(head, cells + [None] * (len(head) - len(cells)), strict=True)))
    return {"columns": head, "rows": rows}


def _document_table(lines: list[list[str]]) -> list[dict[str, Any]]:
    return _document_rows(lines)["rows"]


# --- md -------------------------------------------------------------------------------------


def _document_markdown(text: str) -> list[dict[str, Any]]:
    """Return the sections of a markdown text, in order; what comes before the first heading has none."""
    lines = text.replace("\r\n", "\n").split("\n")
    marks = [*_document_headings(lines), (len(lines), len(lines), "")]
    sections = [("", 0, marks[0][0])]
    sections += [(heading, end, marks[n + 1][0]) for n, (_, end, heading) in enumerate(marks[:-1])]
    return [_document_markdown_section(heading, lines[start:end]) for heading, start, end in sections]


def _document_headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Return (first line, line after it, heading) of each heading: '# Fees', or 'Fees' over a rule."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    for n, line in enumerate(lines):
        opened = _DOCUMENT_FENCE.match(line)
        if opened and (not fence or (opened[1].startswith(fence) and not line[opened.end() :].strip())):
            fence = "" if fence else opened[1]
            continue
        if fence:
            continue
        named = _DOCUMENT_HEADING.fullmatch(line)
        before = lines[n - 1].strip() if n else ""
        if named:
            found.append((n, n + 1, (named[2] or "").strip()))
        elif _DOCUMENT_UNDERLINE.fullmatch(line) and before and not before.startswith(("|", "#", ">", "-", "*", "+")):
            if not found or found[-1][1] < n:
                found.append((n - 1, n + 1, before))
    return found


def _document_markdown_section(heading: str, lines: list[str]) -> dict[str, Any]:
    kept: list[str] = []
    rows: list[dict[str, Any]] = []
    n = 0
    while n < len(lines):
        under = lines[n + 1] if n + 1 < len(lines) else ""
        if "|" in lines[n] and "|" in under and _DOCUMENT_DELIMITERS.fullmatch(under):
            end = n + 2
            while end < len(lines) and lines[end].strip():
                end += 1
            rows += _document_table([_document_pipes(line) for n_, line in enumerate(lines[n:end]) if n_ != 1])
            n = end
        else:
            kept.append(lines[n])
            n += 1
    return {"heading": heading, "text": "\n".join(kept).strip(), "rows": rows}


def _document_pipes(line: str) -> list[str]:
    """Return the cells of a line of a pipe table."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]


# --- html -----------------------------------------------------------------------------------


class _DocumentHtml(HTMLParser):
    """Collects the sections of a page, their text line by line and the rows of their tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[dict[str, Any]] = [{"heading": "", "text": "", "rows": []}]
        self._hidden = 0
        self._said: list[str] = []
        self._place = ""
        self._lines: list[list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "head"):
            self._hidden += 1
        elif re.fullmatch("h[1-6]", tag):
            self._end_section()
            self._place = "heading"
        elif tag == "table" and self._lines is None:
            self._said.append("\n")
            self._lines = []
        elif tag == "tr" and self._lines is not None:
            self._lines.append([])
        elif tag in ("td", "th") and self._lines:
            self._lines[-1].append("")
            self._place = "cell"
        elif tag in _DOCUMENT_BLOCKS:
            self._said.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "head"):
            self._hidden = max(0, self._hidden - 1)
        elif re.fullmatch("h[1-6]", tag) or tag in ("td", "th"):
            self._place = ""
        elif tag == "table" and self._lines is not None:
            lines = [[" ".join(cell.split()) for cell in line] for line in self._lines if line]
            self.sections[-1]["rows"] += _document_table(lines) if lines else []
            self._lines = None
        elif tag in _DOCUMENT_BLOCKS:
            self._said.append("\n")

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._place == "heading":
            self.sections[-1]["heading"] += data
        elif self._place == "cell" and self._lines:
            self._lines[-1][-1] += data
        else:
            self._said.append(re.sub(r"\s+", " ", data))

    def _end_section(self) -> None:
        last = self.sections[-1]
        last["heading"] = " ".join(last["heading"].split())
        lines = (" ".join(line.split()) for line in "".join(self._said).split("\n"))
        last["text"] = "\n".join(line for line in lines if line)
        self.sections.append({"heading": "", "text": "", "rows": []})
        self._said = []


def _document_html(text: str) -> list[dict[str, Any]]:
    """Return the sections of a page, in order; what comes before the first heading has none."""
    page = _DocumentHtml()
    page.feed(text)
    page.close()
    page._end_section()
    return page.sections[:-1]


# --- tex and sql ----------------------------------------------------------------------------


def _document_tex(text: str) -> list[dict[str, Any]]:
    """Return the sections of a LaTeX text, in order; what comes before the first one has no heading."""
    body = re.sub(r"(?<!\\)%.*", "", text.replace("\r\n", "\n"))
    body = body.split("\\begin{document}", 1)[-1].split("\\end{document}", 1)[0]
    marks = list(_DOCUMENT_SECTION.finditer(body))
    spans = [("", 0, marks[0].start() if marks else len(body))]
    for n, mark in enumerate(marks):
        spans.append((mark[1], mark.end(), marks[n + 1].start() if n + 1 < len(marks) else len(body)))
    return [_document_tex_section(_document_plain(heading), body[start:end]) for heading, start, end in spans]


def _document_tex_section(heading: str, body: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for found in _DOCUMENT_TABULAR.finditer(body):
        cells = re.sub(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}]*\})", "", found[2])
        lines = [line for line in re.split(r"\\\\(?:\[[^\]]*\])?", cells) if line.strip()]
        rows += _document_table([[_document_plain(cell) for cell in re.split(r"(?<!\\)&", line)] for line in lines])
    lines = (_document_plain(line) for line in _DOCUMENT_TABULAR.sub("", body).split("\n"))
    return {"heading": heading, "text": "\n".join(line for line in lines if line), "rows": rows}


def _document_plain(text: str) -> str:
    """Return LaTeX as plain words: marked text unwrapped, escapes undone, other commands left out."""
    for n, name in enumerate(("textbackslash", "textasciitilde", "textasciicircum")):
        text = text.replace(f"\\{name}{{}}", chr(n + 1))
    text = text.replace("\\item", "- ")
    text = re.sub(r"\\(?:textbf|textit|emph|texttt)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\(?:begin|end|label|ref|title|author|date|caption)\{[^}]*\}(?:\[[^\]]*\])?", "", text)
    text = re.sub(r"\\[A-Za-z]+\*?|(?<!\\)[{}]", "", text)
    text = re.sub(r"(?<!\\)~", " ", text)
    text = re.sub(r"\\([^A-Za-z\s])", r"\1", text)
    return " ".join(text.translate({1: "\\", 2: "~", 3: "^"}).split())


def _document_statements(text: str) -> list[dict[str, Any]]:
    """Return the statements of an SQL script: name ('-- name: …', else by number), the comments before it, its text."""
    statements: list[dict[str, Any]] = []
    notes: list[str] = []
    held = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if not held.strip() and (line.lstrip().startswith("--") or not line.strip()):
            notes += [line.lstrip()[2:].strip()] if line.strip() else []
            continue
        held += f"{line}\n"
        if sqlite3.complete_statement(held):
            statements.append(_document_statement(notes, held.strip(), len(statements) + 1))
            notes, held = [], ""
    if held.strip():
        statements.append(_document_statement(notes, held.strip(), len(statements) + 1))
    return statements


def _document_statement(notes: list[str], text: str, number: int) -> dict[str, Any]:
    names = [note[5:].strip() for note in notes if note.startswith("name:")]
    about = " ".join(note for note in notes if note and not note.startswith("name:"))
    return {"name": names[-1] if names else f"statement {number}", "about": about, "text": text}
