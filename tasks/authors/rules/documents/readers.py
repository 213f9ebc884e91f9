"""What a document says, read by libraries: what the document tools' own readers are held against.

The shape is theirs (`runtime/reading.py`); no code is shared. LaTeX and SQL, for which there is no library here, are
scanned mark by mark.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from schemas.documents import Document

Row = dict[str, Any]
_BLOCKS = set(
    """p div section article main header footer ul ol li dl dt dd table caption blockquote pre br hr tr nav aside body
    html""".split()
)
_HIDDEN = {"script", "style", "head"}
_TEX_MARKS = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "item": "- "}


def read_content(document: Document) -> dict[str, Any]:
    """Return {value}, {columns, rows}, {sections} or {statements}; ValueError when it is not what its format says."""
    text = document.text
    match document.format:
        case "json":
            return {"value": json.loads(text)}
        case "yaml":
            try:
                return {"value": yaml.safe_load(text)}
            except yaml.YAMLError as error:
                raise ValueError(str(error)) from error
        case "csv":
            reader = csv.DictReader(io.StringIO(text, newline=""))
            rows = [_typed({k: v or "" for k, v in row.items() if k}) for row in reader]
            return {"columns": list(reader.fieldnames or []), "rows": rows}
        case "sql":
            return {"statements": _read_sql(text)}
        case "md":
            sections = _read_markdown(text)
        case "html":
            sections = _read_html(text)
        case "tex":
            sections = _read_tex(text)
    return {"sections": [s for s in sections if s["heading"] or s["text"] or s["rows"]]}


def parts_of(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (name of a part, all that it says), as a search sees it."""
    content = read_content(document)
    if "value" in content:
        for path, value in leaves_of(content["value"]):
            yield path, f"{path}: {value}"
    for row in content.get("rows", []):
        yield row[content["columns"][0]], _line(row)
    for section in content.get("sections", []):
        yield section["heading"], "\n".join([section["heading"], section["text"], *map(_line, section["rows"])])
    for entry in content.get("statements", []):
        yield entry["name"], f"{entry['name']}: {entry['about']}\n{entry['text']}"


def leaves_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted path, value) of every single value in a json or yaml document."""
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    else:
        yield path, value
    for name, part in entries:
        yield from leaves_of(part, f"{path}.{name}" if path else str(name))


def search(documents: Iterable[Document], text: str) -> list[tuple[Document, str]]:
    """Return (document, part) of every part that contains a text, in any case; underscores count as spaces."""
    wanted = _folded(text)
    by_path = sorted(documents, key=lambda document: document.path)
    return [(d, part) for d in by_path for part, said in parts_of(d) if wanted in _folded(said)]


def _folded(text: str) -> str:
    return text.casefold().replace("_", " ")


def _line(row: Row) -> str:
    return ", ".join(f"{name}: {value}" for name, value in row.items() if value is not None)


def _typed(row: dict[str, str]) -> Row:
    """Return a row whose plain numbers are numbers, except in the first column."""
    first, *others = row
    return {first: row[first].strip()} | {name: _number(row[name].strip()) for name in others}


def _number(text: str) -> str | int | float | None:
    whole, _, rest = text.removeprefix("-").partition(".")
    plain = whole.isascii() and whole.isdigit() and len(whole) < 16 and (whole == "0" or not whole.startswith("0"))
    if not plain or ("." in text and not (rest.isascii() and rest.isdigit() and len(rest) < 13)):
        return text or None
    return float(text) if rest else int(text)


def _table(lines: list[list[str]]) -> list[Row]:
    if not lines:
        return []
    head = [name or f"column {number}" for number, name in enumerate(lines[0], 1)]
    padded = [[*line, *[""] * len(head)][: len(head)] for line in lines[1:] if any(line)]
    return [_typed(dict(zip(head, line, strict=True))) for line in padded]


def _read_markdown(text: str) -> list[Row]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    lines = text.replace("\r\n", "\n").split("\n")
    sections: list[Row] = [{"heading": "", "lines": [], "rows": []}]
    taken: set[int] = set()
    starts: dict[int, str] = {}
    tables: dict[int, list[Row]] = {}
    for index, token in enumerate(tokens):
        if token.level == 0 and token.map and token.type in ("heading_open", "table_open"):
            taken |= set(range(*token.map))
            if token.type == "heading_open":
                starts[token.map[0]] = tokens[index + 1].content
            else:
                tables[token.map[0]] = _markdown_table(tokens[index:])
    for number, line in enumerate(lines):
        if number in starts:
            sections.append({"heading": starts[number], "lines": [], "rows": []})
        sections[-1]["rows"] += tables.get(number, [])
        if number not in taken:
            sections[-1]["lines"].append(line)
    return [{"heading": s["heading"], "text": "\n".join(s["lines"]).strip(), "rows": s["rows"]} for s in sections]


def _markdown_table(tokens: list[Any]) -> list[Row]:
    lines: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            lines.append([])
        elif token.type == "inline":
            lines[-1].append(token.content)
    return _table(lines)


def _read_html(text: str) -> list[Row]:
    sections: list[Row] = [{"heading": "", "said": "", "rows": []}]
    _walk_html(lxml_html.document_fromstring(text), sections)
    found = []
    for section in sections:
        lines = [" ".join(line.split()) for line in section["said"].split("\n")]
        found.append({"heading": section["heading"], "text": "\n".join(filter(None, lines)), "rows": section["rows"]})
    return found


def _walk_html(element: Any, sections: list[Row]) -> None:
    tag = element.tag if isinstance(element.tag, str) else "script"  # comments are no text
    if re.fullmatch("h[1-6]", tag):
        sections.append({"heading": " ".join(element.text_content().split()), "said": "", "rows": []})
    elif tag == "table":
        lines = [[" ".join(cell.text_content().split()) for cell in row.iter("td", "th")] for row in element.iter("tr")]
        sections[-1]["rows"] += _table([line for line in lines if line])
        sections[-1]["said"] += "\n"
    elif tag not in _HIDDEN:
        edge = "\n" if tag in _BLOCKS else ""
        sections[-1]["said"] += edge + _flat(element.text)
        for child in element:
            _walk_html(child, sections)
        sections[-1]["said"] += edge
    sections[-1]["said"] += _flat(element.tail)


def _flat(text: str | None) -> str:
    return " ".join(f"x{text or ''}x".split())[1:-1]


# --- tex ------------------------------------------------------------------------------------


def _read_tex(text: str) -> list[Row]:
    """Scan LaTeX: commands with their arguments, cells and rows inside tabular, everything else as words."""
    lines = [re.match(r"(?:[^%\\]|\\.)*", line, re.S) for line in text.replace("\r\n", "\n").split("\n")]
    source = "\n".join(found[0] if found else "" for found in lines)
    if "\\begin{document}" in source:
        source = source[source.index("\\begin{document}") + 16 : source.rindex("\\end{document}")]
    sections: list[Row] = [{"heading": "", "words": "", "rows": []}]
    at = 0
    while at < len(source):
        name, arguments, after = _tex_command(source, at)
        if name in ("section", "subsection", "subsubsection", "chapter"):
            sections.append({"heading": _tex_words(arguments), "words": "", "rows": []})
        elif name == "begin" and arguments in ("tabular", "longtable"):
            end = source.index(f"\\end{{{arguments}}}", after)
            sections[-1]["rows"] += _tex_table(source[after:end])
            after = end + len(f"\\end{{{arguments}}}")
        else:
            sections[-1]["words"] += source[at:after]
        at = after
    return [
        {
            "heading": section["heading"],
            "text": "\n".join(filter(None, map(_tex_words, section["words"].split("\n")))),
            "rows": section["rows"],
        }
        for section in sections
    ]


def _tex_command(source: str, at: int) -> tuple[str, str, int]:
    """Return (name, first argument, where it ends) of the command at a place; ("", "", next place) without one."""
    found = re.compile(r"\\([A-Za-z]+)\*?").match(source, at)
    if found is None:
        return "", "", at + (2 if source[at] == "\\" else 1)
    end = found.end()
    if end == len(source) or source[end] != "{":
        return found[1], "", end
    depth, place = 0, end
    while place < len(source):
        depth += {"{": 1, "}": -1}.get(source[place], 0)
        place += 2 if source[place] == "\\" else 1
        if depth == 0:
            break
    return found[1], source[end + 1 : place - 1], place


def _tex_table(source: str) -> list[Row]:
    _, _, start = _tex_command("\\x" + source, 0)  # the columns' specification
    lines: list[list[str]] = [[""]]
    at = start - 2
    while at < len(source):
        two = source[at : at + 2]
        if two == "\\\\":
            lines.append([""])
            if source[at + 2 : at + 3] == "[":  # extra space behind the line
                at = source.index("]", at) - 1
        elif source[at] == "&":
            lines[-1].append("")
        else:
            lines[-1][-1] += two if two.startswith("\\") else source[at]
        at += 2 if two.startswith("\\") else 1
    rows = [[_tex_words(cell) for cell in line] for line in lines]
    return _table([row for row in rows if row != [""]])


def _tex_words(source: str) -> str:
    """Return LaTeX as plain words."""
    words, at = "", 0
    while at < len(source):
        name, argument, after = _tex_command(source, at)
        if name in _TEX_MARKS:
            words += _TEX_MARKS[name]
        elif name in ("textbf", "textit", "emph", "texttt"):
            words += _tex_words(argument)
        elif not name and source[at] == "\\":
            words += source[at + 1 : at + 2]
        elif not name:
            words += {"~": " ", "{": "", "}": ""}.get(source[at], source[at])
        elif not argument or name not in ("begin", "end", "label", "ref", "title", "author", "date", "caption"):
            words += _tex_words(argument)
        at = after
    return " ".join(words.split())


# --- sql ------------------------------------------------------------------------------------


def _read_sql(text: str) -> list[Row]:
    """Split a script at semicolons that stand outside of quotes and comments."""
    found: list[Row] = []
    notes: list[str] = []
    start = at = 0
    mark = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|;|[^\s;'\"-]+|.", re.S)
    body = ""
    while at < len(text):
        piece = mark.match(text, at)
        assert piece is not None
        at, said = piece.end(), piece[0]
        if not body.strip() and said.startswith("--"):
            notes.append(said[2:].strip())
            start = at
            continue
        body += said
        if said == ";":
            found.append(_statement(notes, text[start:at].strip(), len(found) + 1))
            notes, body, start = [], "", at
    if body.strip():
        found.append(_statement(notes, text[start:].strip(), len(found) + 1))
    return found


def _statement(notes: list[str], text: str, number: int) -> Row:
    named = [note.partition(":")[2].strip() for note in notes if note.partition(":")[0] == "name"]
    about = " ".join(note for note in notes if note and note.partition(":")[0] != "name")
    return {"name": named[-1] if named else f"statement {number}", "about": about, "text": text}
