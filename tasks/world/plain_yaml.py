"""YAML, the plain subset: block mappings, block lists and scalars on one line.

The standard library reads no YAML. What is read here means the same under YAML 1.1 and 1.2;
everything else (anchors, tags, flow collections, block scalars, several documents, text over
several lines, tabs) is `OutsideSubset`, and the caller compares bytes. A plain scalar that the
two versions read differently, `yes`, `0x1f` or `2024-05-01`, stays itself: `{"$plain": text}`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

KEY = re.compile(r"(?P<plain>[^\W\d][\w\-]*(?: [\w\-]+)*)|\"(?P<double>[^\"\\]*)\"|'(?P<single>[^']*)'")
SEPARATOR = re.compile(r" *:(?: +|$)")
DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\/nt])*)"')
SINGLE = re.compile(r"'((?:[^']|'')*)'")
ESCAPE = re.compile(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t"}
REST = re.compile(r" *(?: #.*)?")
"""What may follow a quoted scalar."""
INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")
AMBIGUOUS = re.compile(
    r"[-+.]*[0-9][0-9a-fA-FoOxXtTzZ_,.:+\- ]*|[-+]?\.(?:inf|nan)|yes|no|on|off|y|n|=|<<", re.IGNORECASE
)
INDICATORS = tuple("[]{}&*!|>@`%#,?:-")
WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
EMPTY: dict[str, Any] = {"[]": [], "{}": {}}


class OutsideSubset(ValueError):
    """Text that is not the plain subset, or not YAML."""


class _Line(NamedTuple):
    indent: int
    text: str

    @property
    def is_item(self) -> bool:
        return self.text == "-" or self.text.startswith("- ")


def parse(text: str) -> Any:
    """Return the one document in `text`; OutsideSubset when it isn't in the subset."""
    lines = _lines(text)
    if not lines:
        return None
    if len(lines) == 1 and not lines[0].is_item and _split(lines[0].text) is None:
        return _scalar(lines[0].text)
    value, end = _block(lines, 0, lines[0].indent)
    if end != len(lines):
        raise OutsideSubset(f"unexpected: {lines[end].text}")
    return value


def _lines(text: str) -> list[_Line]:
    text = text.replace("\r\n", "\n")
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]", text):
        raise OutsideSubset("tabs or control characters")
    rows = text.split("\n")
    if rows and rows[0].rstrip() == "---":
        del rows[0]
    lines = []
    for row in rows:
        content = row.strip(" ")
        if row.startswith(("---", "...", "%")):
            raise OutsideSubset("several documents")
        if content and not content.startswith("#"):
            lines.append(_Line(len(row) - len(row.lstrip(" ")), content))
    return lines


def _block(lines: list[_Line], start: int, indent: int) -> tuple[Any, int]:
    """Return the list or mapping whose entries begin at `indent`, and the line after it."""
    read = _list if lines[start].is_item else _mapping
    value, end = read(lines, start, indent)
    if end < len(lines) and lines[end].indent > indent:
        raise OutsideSubset(f"unexpected indentation: {lines[end].text}")
    return value, end


def _list(lines: list[_Line], start: int, indent: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while start < len(lines) and lines[start].indent == indent and lines[start].is_item:
        text = lines[start].text[1:].lstrip(" ")
        inner = _Line(indent + len(lines[start].text) - len(text), text)
        if not text or text.startswith("#"):
            value, start = _nested(lines, start + 1, indent + 1)
        elif inner.is_item or _split(text) is not None:
            lines[start] = inner
            value, start = _block(lines, start, inner.indent)
        else:
            value, start = _scalar(text), start + 1
        items.append(value)
    return items, start


def _mapping(lines: list[_Line], start: int, indent: int) -> tuple[dict[str, Any], int]:
    entries: dict[str, Any] = {}
    while start < len(lines) and lines[start].indent == indent and not lines[start].is_item:
        entry = _split(lines[start].text)
        if entry is None or entry[0] in entries:
            raise OutsideSubset(f"not one key: {lines[start].text}")
        key, text = entry
        if text and not text.startswith("#"):
            entries[key], start = _scalar(text), start + 1
            continue
        start += 1
        beside = start < len(lines) and lines[start].indent == indent and lines[start].is_item
        entries[key], start = _list(lines, start, indent) if beside else _nested(lines, start, indent + 1)
    return entries, start


def _nested(lines: list[_Line], start: int, least: int) -> tuple[Any, int]:
    """Return the block that is indented by `least` or more, None if there isn't any."""
    if start == len(lines) or lines[start].indent < least:
        return None, start
    return _block(lines, start, lines[start].indent)


def _split(text: str) -> tuple[str, str] | None:
    """Return a mapping entry's key and the text after it; None for text that is no entry."""
    key = KEY.match(text)
    separator = SEPARATOR.match(text, key.end()) if key else None
    if key is None or separator is None:
        return None
    name = key["plain"] or key["double"] or key["single"] or ""
    if name.startswith("$") or (key["plain"] and not isinstance(_plain(name), str)):
        raise OutsideSubset(f"a key that is no text: {name}")
    return name, text[separator.end() :]


def _scalar(text: str) -> Any:
    for pattern in (DOUBLE, SINGLE):
        if quoted := pattern.match(text):
            if not REST.fullmatch(text, quoted.end()):
                raise OutsideSubset(f"text after a quoted scalar: {text}")
            if pattern is SINGLE:
                return quoted[1].replace("''", "'")
            return ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), quoted[1])
    text = text.split(" #")[0].rstrip(" ")
    if text in EMPTY:
        return EMPTY[text].copy()
    if text.startswith(("'", '"')) or (text.startswith(INDICATORS) and not AMBIGUOUS.fullmatch(text)):
        raise OutsideSubset(f"not a plain scalar: {text}")
    if ": " in text or text.endswith(":"):
        raise OutsideSubset(f"a mapping where a scalar was expected: {text}")
    return _plain(text)


def _plain(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        return int(text)
    if NUMBER.fullmatch(text):
        return float(text)
    return {"$plain": text} if AMBIGUOUS.fullmatch(text) else text
