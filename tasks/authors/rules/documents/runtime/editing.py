"""Edits of a document's text: the part of a tools' module that writes. Each returns the new text, or raises ValueError
with the words of the refusal; what is not edited keeps its bytes, except that json is laid out anew.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from typing import Any

from tasks.authors.rules.documents.runtime.reading import (
    _DOCUMENT_SECTION,
    _document_content,
    _document_headings,
    _document_plain,
)

_DOCUMENT_TEX = str.maketrans({mark: f"\\{mark}" for mark in "%&_#${}"}) | {
    ord("\\"): "\\textbackslash{}",
    ord("~"): "\\textasciitilde{}",
    ord("^"): "\\textasciicircum{}",
}


def _document_follow(value: Any, path: str) -> Any:
    """Return what a dotted path leads to, 'limits.seats' or 'shifts.0.opens'; LookupError when it leads nowhere."""
    for step in path.split("."):
        value = value[int(step) if isinstance(value, list) and step.isdigit() else step]
    return value


def _document_number(value: Any) -> Any:
    """Return whole floats as whole numbers: 12.0 and 12 are one value."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _document_with_value(form: str, text: str, path: str, value: Any) -> str:
    """Return a json or yaml text with another value, of the same kind, at a path."""
    whole = _document_content(form, text)["value"]
    try:
        old = _document_follow(whole, path)
    except (LookupError, TypeError) as error:
        raise LookupError(path) from error
    kinds = [bool, (int, float), str]
    alike = [isinstance(old, kind) and isinstance(value, kind) for kind in kinds]
    if not any(alike) or isinstance(old, bool) != isinstance(value, bool):
        raise ValueError(f"{path} holds {json.dumps(old, ensure_ascii=False)[:60]}: the new value must be of that kind")
    *way, last = path.split(".")
    holder = _document_follow(whole, ".".join(way)) if way else whole
    if form == "json":
        holder[int(last) if isinstance(holder, list) else last] = _document_number(value)
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    if isinstance(holder, list):
        raise ValueError(f"{path} is an entry of a list, which cannot be set")
    holder[last] = value
    new = _document_with_line(text, path.split("."), value)
    if _document_content(form, new)["value"] != whole:
        raise ValueError(f"{path} cannot be set in this file")
    return new


def _document_with_line(text: str, path: list[str], value: Any) -> str:
    """Return a yaml text with another scalar behind the keys and list places of `path`, its comment kept."""
    lines = text.split("\n")
    n = _document_line_of(lines, path)
    if n is not None:
        head = re.match(rf" *(?:- +)*([\"']?){re.escape(path[-1])}\1 *:", lines[n])
        if head:
            old = lines[n][head.end() :]
            comment = re.search(r" +#.*$", old) if "'" not in old and '"' not in old else None
            scalar = json.dumps(_document_number(value), ensure_ascii=False)
            lines[n] = f"{head[0]} {scalar}{comment[0] if comment else ''}"
    return "\n".join(lines)


def _document_line_of(lines: list[str], path: list[str]) -> int | None:
    """Return the number of the line that holds the value at a path of a yaml text; None when it was not found."""
    shown, first, last = list(lines), 0, len(lines)
    for depth, step in enumerate(path):
        body = [n for n in range(first, last) if shown[n].strip() and not shown[n].lstrip().startswith(("#", "---"))]
        if not body:
            return None
        indent = len(shown[body[0]]) - len(shown[body[0]].lstrip())
        level = [n for n in body if len(shown[n]) - len(shown[n].lstrip()) == indent]
        items = [n for n in level if shown[n].lstrip().startswith("- ")]
        if body[0] in items:
            if not step.isdigit() or int(step) >= len(items):
                return None
            first, last = [*items, last][int(step) : int(step) + 2]
            shown[first] = shown[first].replace("- ", "  ", 1)
            continue
        keys = [n for n in level if n not in items]
        found = [n for n in keys if re.match(rf" *([\"']?){re.escape(step)}\1 *:(?: |$)", shown[n])]
        if not found or depth == len(path) - 1:
            return found[0] if found else None
        first, last = found[0] + 1, next((n for n in keys if n > found[0]), last)
    return None


def _document_with_row(text: str, row: str | None, change: dict[str, Any] | list[Any]) -> str:
    """Return a csv text with cells of the row called `row` changed, or with a line added (`row` None)."""
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    head = [name.strip() or f"column {n}" for n, name in enumerate(lines[0], 1)]
    if isinstance(change, list):
        lines.append([_document_written(cell) for cell in change])
    else:
        for line in lines[1:]:
            if line and line[0].strip() == row:
                line += [""] * (len(head) - len(line))
                for column, value in change.items():
                    line[head.index(column)] = _document_written(value)
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n" if "\r\n" in text else "\n").writerows(line for line in lines if line)
    return out.getvalue()


def _document_written(value: Any) -> str:
    return "" if value is None else str(_document_number(value)).strip()


def _document_with_section(form: str, text: str, heading: str, words: str) -> str:
    """Return a md, html or tex text whose section `heading` holds the paragraphs `words` and nothing else."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", words) if part.strip()]
    if not paragraphs or any(not character.isprintable() and character != "\n" for character in words):
        raise ValueError("text must be printable and not empty")
    if form == "md" and any(re.match(r"[#|>`~=*+-]|[0-9]+[.)]", paragraph) for paragraph in paragraphs):
        raise ValueError("text must be plain paragraphs")
    found = [span for name, *span in _document_spans(form, text) if name.casefold() == heading.strip().casefold()]
    if not found:
        raise LookupError(heading)
    start, end = found[0]
    if form == "html":
        body = "".join(f"<p>{html.escape(paragraph, quote=False)}</p>\n" for paragraph in paragraphs)
        return f"{text[:start]}\n{body}{text[end:]}"
    escaped = [paragraph.translate(_DOCUMENT_TEX) if form == "tex" else paragraph for paragraph in paragraphs]
    rest = text[end:]
    return f"{text[:start].rstrip()}\n\n" + "\n\n".join(escaped) + "\n" + (f"\n{rest}" if rest.strip() else "")


def _document_spans(form: str, text: str) -> list[tuple[str, int, int]]:
    """Return (heading, start, end) of what stands between each heading and the next, as offsets in the text."""
    if form == "md":
        lines = text.split("\n")
        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line) + 1)
        marks = [(name, offsets[first], offsets[after]) for first, after, name in _document_headings(lines)]
        last = len(text)
    elif form == "html":
        found = list(re.finditer(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", text, re.S | re.I))
        marks = [(" ".join(html.unescape(re.sub("<[^>]*>", "", m[2])).split()), m.start(), m.end()) for m in found]
        last = next((m.start() for m in re.finditer(r"</(?:main|article|body)\s*>", text, re.I)), len(text))
    else:
        found = list(_DOCUMENT_SECTION.finditer(text))
        marks = [(_document_plain(m[1]), m.start(), m.end()) for m in found]
        last = text.find("\\end{document}") if "\\end{document}" in text else len(text)
    ends = [start for _, start, _ in marks[1:]] + [last]
    return [(name, min(end, len(text)), stop) for (name, _, end), stop in zip(marks, ends, strict=True)]
