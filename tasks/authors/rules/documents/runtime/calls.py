"""The document tools themselves. `_DOCUMENTS` stands for what the module of an environment says of its files."""

from __future__ import annotations

import sqlite3
from typing import Any

from tasks.authors.rules.documents.runtime.editing import (
    _document_follow,
    _document_with_row,
    _document_with_section,
    _document_with_value,
)
from tasks.authors.rules.documents.runtime.reading import _document_content

_DOCUMENTS: dict[str, tuple[str, str, str, bool]] = {}
_DOCUMENT_HITS, _DOCUMENT_EXCERPT, _DOCUMENT_ROWS, _DOCUMENT_STEPS = 20, 160, 50, 2_000_000


def list_documents(format: str | None = None) -> dict[str, Any]:
    """List the documents with their titles and what each is about.

    Args:
        format: Only those in this format.

    Returns:
        The documents: path, title, format, about, editable.
    """
    return {
        "items": [
            {"path": path, "title": title, "format": form, "about": about, "editable": editable}
            for path, (form, title, about, editable) in _DOCUMENTS.items()
            if format is None or form == format
        ]
    }


def read_document(path: str, part: str | None = None) -> dict[str, Any]:
    """Read a document, or one part of it.

    Args:
        path: Path of the document.
        part: A heading (md, html, tex), a dotted path such as limits.seats (json, yaml), what the first column says
            (csv), or a statement's name (sql). All of it when left out.

    Returns:
        The sections, value, rows or statements, by the document's format.
    """
    if path not in _DOCUMENTS:
        return _document_missing(path)
    form, title, _, _ = _DOCUMENTS[path]
    content = _document_content(form, _document_text(path))
    if part is not None:
        content = _document_part(content, part.strip())
        if content is None:
            return _document_refuse("not_found", f"{title} has no part {part!r}.")
    return {"path": path, "title": title, "format": form, **content}


def search_documents(text: str) -> dict[str, Any]:
    """Find the parts of documents that contain a text, in any case; underscores count as spaces.

    Args:
        text: What to look for.

    Returns:
        At most 20 parts: path, title, part, excerpt.
    """
    wanted = text.strip().casefold().replace("_", " ")
    if not wanted:
        return _document_refuse("invalid_argument", "text must not be empty.")
    hits = []
    for path, (form, title, _, _) in _DOCUMENTS.items():
        for part, said in _document_parts(_document_content(form, _document_text(path))):
            at = said.casefold().replace("_", " ").find(wanted)
            if at >= 0:
                excerpt = said[max(0, at - _DOCUMENT_EXCERPT // 2) :][:_DOCUMENT_EXCERPT].strip()
                hits.append({"path": path, "title": title, "part": part, "excerpt": excerpt})
    return {"items": hits[:_DOCUMENT_HITS], "total": len(hits)}


def set_document_value(path: str, part: str, value: str | float | bool) -> dict[str, Any]:
    """Give a value in a json or yaml document another value of the same kind.

    Args:
        path: Path of the document.
        part: Dotted path of the value, such as limits.seats.
        value: The new value.

    Returns:
        The path, part and new value.
    """
    refusal = _document_unfit(path, ("json", "yaml"))
    if refusal:
        return refusal
    try:
        text = _document_with_value(_DOCUMENTS[path][0], _document_text(path), part, value)
    except LookupError:
        return _document_refuse("not_found", f"{_DOCUMENTS[path][1]} has no value {part!r}.")
    except ValueError as error:
        return _document_refuse("invalid_argument", f"{error}.")
    _document_write(path, text)
    content = _document_content(_DOCUMENTS[path][0], text)
    return {"path": path, "part": part, "value": _document_follow(content["value"], part)}


def update_document_row(path: str, row: str, column: str, value: str | float) -> dict[str, Any]:
    """Change one cell of a csv document.

    Args:
        path: Path of the document.
        row: What the first column says in the row.
        column: The column to change; the first one cannot be.
        value: The new value.

    Returns:
        The path and the changed row.
    """
    refusal = _document_unfit(path, ("csv",))
    if refusal:
        return refusal
    content = _document_content("csv", _document_text(path))
    first, *others = content["columns"]
    if column not in others:
        return _document_refuse("invalid_argument", f"column must be one of {', '.join(others)}.")
    found = [n for n, record in enumerate(content["rows"]) if record[first] == row.strip()]
    if len(found) != 1:
        return _document_refuse("not_found", f"{_DOCUMENTS[path][1]} has {len(found) or 'no'} rows {row!r}.")
    if "\n" in str(value) or "\r" in str(value):
        return _document_refuse("invalid_argument", "value must be on one line.")
    text = _document_with_row(_document_text(path), row.strip(), {column: value})
    _document_write(path, text)
    return {"path": path, "row": _document_content("csv", text)["rows"][found[0]]}


def append_document_row(path: str, cells: list[Any]) -> dict[str, Any]:
    """Add a row at the end of a csv document.

    Args:
        path: Path of the document.
        cells: One value a column, in the columns' order; the first one names the row and must be new.

    Returns:
        The path and the new row.
    """
    refusal = _document_unfit(path, ("csv",))
    if refusal:
        return refusal
    content = _document_content("csv", _document_text(path))
    columns, name = content["columns"], str(cells[0]).strip() if cells else ""
    if len(cells) != len(columns) or not name or any("\n" in str(cell) or "\r" in str(cell) for cell in cells):
        return _document_refuse("invalid_argument", f"cells must be one value each for {', '.join(columns)}.")
    if any(record[columns[0]] == name for record in content["rows"]):
        return _document_refuse("invalid_argument", f"There is a row {name!r} already.")
    text = _document_with_row(_document_text(path), None, cells)
    _document_write(path, text)
    return {"path": path, "row": _document_content("csv", text)["rows"][-1]}


def replace_document_section(path: str, heading: str, text: str) -> dict[str, Any]:
    """Replace what a section of a md, html or tex document says.

    Args:
        path: Path of the document.
        heading: Heading of the section; subsections stay.
        text: The new text: plain paragraphs with empty lines between them.

    Returns:
        The path and the changed section.
    """
    refusal = _document_unfit(path, ("md", "html", "tex"))
    if refusal:
        return refusal
    form, title, _, _ = _DOCUMENTS[path]
    try:
        changed = _document_with_section(form, _document_text(path), heading, text)
    except LookupError:
        return _document_refuse("not_found", f"{title} has no section {heading!r}.")
    except ValueError as error:
        return _document_refuse("invalid_argument", f"{error}.")
    _document_write(path, changed)
    sections = _document_part(_document_content(form, changed), heading.strip())
    return {"path": path, "section": sections["sections"][0] if sections else {}}


def run_document_query(path: str, name: str) -> dict[str, Any]:
    """Run a query that is saved in an sql document, reading only.

    Args:
        path: Path of the document.
        name: Name of the statement, which must be a SELECT.

    Returns:
        The rows, at most 50, and whether there are more.
    """
    if path not in _DOCUMENTS:
        return _document_missing(path)
    if _DOCUMENTS[path][0] != "sql":
        return _document_refuse("invalid_argument", f"{_DOCUMENTS[path][1]} is not an sql document.")
    found = _document_part(_document_content("sql", _document_text(path)), name.strip())
    if found is None:
        return _document_refuse("not_found", f"{_DOCUMENTS[path][1]} has no statement {name!r}.")
    try:
        rows = _document_select(found["statements"][0]["text"])
    except (sqlite3.Error, sqlite3.Warning) as error:
        return _document_refuse("invalid_argument", f"{name} cannot be run: {error}.")
    return {"path": path, "name": name.strip(), "rows": rows[:_DOCUMENT_ROWS], "more": len(rows) > _DOCUMENT_ROWS}


def _document_refuse(code: str, message: str) -> dict[str, Any]:
    """Return the answer to a call that cannot be carried out."""
    return {"error": {"code": code, "message": message}}


def _document_missing(path: str) -> dict[str, Any]:
    return _document_refuse("not_found", f"There is no document {path!r}.")


def _document_unfit(path: str, forms: tuple[str, ...]) -> dict[str, Any] | None:
    """Return why a document cannot be edited as one of these formats; None when it can."""
    if path not in _DOCUMENTS:
        return _document_missing(path)
    form, title, _, editable = _DOCUMENTS[path]
    if form not in forms:
        return _document_refuse("invalid_argument", f"{title} is not a {' or '.join(forms)} document.")
    return None if editable else _document_refuse("read_only", f"{title} must not be changed.")


def _document_text(path: str) -> str:
    with open(f"files/{path}", encoding="utf-8", newline="") as file:
        return file.read()


def _document_write(path: str, text: str) -> None:
    with open(f"files/{path}", "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _document_part(content: dict[str, Any], part: str) -> dict[str, Any] | None:
    """Return the part of a document's content that goes by this name; None when there is none."""
    if "value" in content:
        try:
            return {"value": _document_follow(content["value"], part)}
        except (LookupError, TypeError, ValueError):
            return None
    if "rows" in content:
        rows = [row for row in content["rows"] if row[content["columns"][0]] == part]
        return {"columns": content["columns"], "rows": rows} if rows else None
    kind, name = ("sections", "heading") if "sections" in content else ("statements", "name")
    chosen = [entry for entry in content[kind] if entry[name].casefold() == part.casefold()]
    return {kind: chosen} if chosen else None


def _document_parts(content: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (part, all that it says) for each part of a document's content."""
    if "value" in content:
        return [(path, f"{path}: {value}") for path, value in _document_leaves(content["value"], "")]
    if "rows" in content:
        return [(str(row[content["columns"][0]]), _document_line(row)) for row in content["rows"]]
    if "statements" in content:
        return [(s["name"], f"{s['name']}: {s['about']}\n{s['text']}") for s in content["statements"]]
    return [
        (s["heading"], "\n".join([s["heading"], s["text"], *map(_document_line, s["rows"])]))
        for s in content["sections"]
    ]


def _document_line(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in row.items() if value is not None)


def _document_leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    """Return (dotted path, value) of every single value in a json or yaml document."""
    if not isinstance(value, dict | list):
        return [(path, value)]
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    return [leaf for name, part in entries for leaf in _document_leaves(part, f"{path}.{name}".lstrip("."))]


def _document_select(statement: str) -> list[dict[str, Any]]:
    """Return the first rows of a query, one more than are shown; sqlite3.Error for all that would write."""
    connection = sqlite3.connect("world.db")
    try:
        connection.row_factory = sqlite3.Row
        allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
        connection.set_progress_handler(lambda: 1, _DOCUMENT_STEPS)
        return [dict(row) for row in connection.execute(statement).fetchmany(_DOCUMENT_ROWS + 1)]
    finally:
        connection.close()
