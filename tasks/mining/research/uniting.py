"""Uniting: tables of the same shape on many pages become one, each row once, with the page's place kept.

Pages of a list, and one page an item, give one table. Tables with a design (rows of a table, a data file) are united
when their headers are equal; records (definition lists, linked data, cards), which may lack a field, when
most fields are.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import polars as pl

from tasks.mining.browsing.addresses import host_of
from tasks.mining.columns.naming import name_tables, plural_of, singular_of, snake_case, unique_name
from tasks.mining.research.extraction.found import Cells, FoundTable, unique_columns
from tasks.mining.research.harvest import HarvestedTable

_ALIKE = 0.6
"""Share of the smaller record's fields that the other ones must have."""
_SECTION = "section"
"""Column for what tells the pages of one table apart: 'France' of 'Airports of France'."""
_SMALL_WORDS = set(
    "of in by the a an from for and with list all page pages table tables on at to index overview".split()
)
_NARROWING = set("of in by for from on at to with near since between about".split())
_MEASURES = set("list table number share index overview".split())
_FILE_KINDS = ("file", "json")


@dataclass(frozen=True)
class Placed:
    """A table as it was found on a page, with the page's address and title."""

    address: str
    title: str
    table: FoundTable


@dataclass
class _Group:
    """Tables of one shape; `columns` by normalised name."""

    columns: dict[str, str]
    parts: list[Placed] = field(default_factory=list)


def unite(found: Sequence[Placed]) -> list[HarvestedTable]:
    """Return the united tables, in order of first appearance; of rows that are equal the first one stays."""
    groups = _grouped(found)
    names: list[str] = []
    for group in groups:
        stem = _stem(group)
        name = name_tables([stem])[stem]
        if name in names and not group.parts[0].table.closed:
            name = f"{singular_of(name)}_details"
        names.append(unique_name(name, names))
    return [_united(group, name) for group, name in zip(groups, names, strict=True)]


def row_identity(table: FoundTable, row: Cells) -> Hashable:
    """Return what tells a row from others of its shape, wherever it stands."""
    return (table.kind, tuple(sorted((snake_case(c), v) for c, v in zip(table.columns, row, strict=True) if v)))


def _grouped(found: Sequence[Placed]) -> list[_Group]:
    groups: list[_Group] = []
    by_header: dict[Hashable, _Group] = {}
    records: dict[Hashable, list[_Group]] = {}
    for placed in found:
        table = placed.table
        columns = _columns(table)
        family = (host_of(placed.address), table.kind, table.name if table.kind in ("linked_data", "microdata") else "")
        if table.closed:
            key = (*family, frozenset(columns))
            group = by_header.get(key)
        else:
            near = (g for g in records.get(family, []) if _overlap(g.columns, columns) >= _ALIKE)
            group = max(near, key=lambda g: _overlap(g.columns, columns), default=None)
        if group is None:
            group = _Group(dict(columns))
            groups.append(group)
            if table.closed:
                by_header[key] = group
            else:
                records.setdefault(family, []).append(group)
        group.parts.append(placed)
        for name, header in columns.items():
            group.columns.setdefault(name, header)
    return groups


def _columns(table: FoundTable) -> dict[str, str]:
    """Return a table's headers by their normalised names, unique in the table."""
    return dict(zip(unique_columns(map(snake_case, table.columns)), table.columns, strict=True))


def _overlap(some: dict[str, str], others: dict[str, str]) -> float:
    return len(some.keys() & others.keys()) / max(1, min(len(some), len(others)))


def _united(group: _Group, name: str) -> HarvestedTable:
    labels = _labels(group.parts)
    order = {column: position for position, column in enumerate(group.columns)}
    rows: list[list[str | None]] = []
    addresses: list[str] = []
    places: list[str] = []
    seen: set[tuple[str | None, ...]] = set()
    for placed, label in zip(group.parts, labels, strict=True):
        positions = [order[column] for column in _columns(placed.table)]
        for cells, place in zip(placed.table.rows, placed.table.places, strict=True):
            row: list[str | None] = [None] * len(order)
            for position, cell in zip(positions, cells, strict=True):
                row[position] = cell
            if tuple(row) in seen:
                continue
            seen.add(tuple(row))
            rows.append([*row, label])
            addresses.append(placed.address)
            places.append(place)
    headers = unique_columns([*group.columns.values(), _SECTION])
    frame = pl.DataFrame(rows, schema=dict.fromkeys(headers, pl.String), orient="row")
    told = frame[headers[-1]].n_unique() > 1
    frame = frame if told else frame.drop(headers[-1])
    return HarvestedTable(name, _title(group), group.parts[0].table.kind, frame, tuple(addresses), tuple(places))


def _labels(parts: Sequence[Placed]) -> list[str | None]:
    """Return for each part what its caption, else its page's title, does not share with the others; None for nothing.

    One page an item tells nothing that the item does not say itself.
    """
    if len(parts) < 2 or sum(len(placed.table.rows) for placed in parts) < 2 * len(parts):
        return [None] * len(parts)
    for texts in ([placed.table.name for placed in parts], [placed.title for placed in parts]):
        if len(set(texts)) > 1 and all(texts):
            start, end = _shared(texts)
            told = [" ".join(text.split()[start : len(text.split()) - end]) for text in texts]
            if all(told) and not all(re.fullmatch(r"[\d\s/.,-]*", text) for text in told):
                return list(told)
    return [None] * len(parts)


def _shared(texts: Sequence[str]) -> tuple[int, int]:
    """Return how many first and last words all texts have in common, of their shortest at most all but one."""
    words = [text.split() for text in texts]
    shortest = min(map(len, words))
    start = next((i for i in range(shortest) if len({w[i] for w in words}) > 1), shortest - 1)
    left = shortest - start
    end = next((i for i in range(left) if len({w[len(w) - 1 - i] for w in words}) > 1), max(0, left - 1))
    return max(0, start), end


def _stem(group: _Group) -> str:
    """Return the words that name a table: its type or path, its captions' or titles' shared words, or its address's."""
    table = group.parts[0].table
    if table.kind in ("linked_data", "microdata"):
        return plural_of(snake_case(table.name)).replace("_", " ")
    if table.kind in _FILE_KINDS:
        return snake_case(re.split(r"\[\]\.?|[./]", table.name.removesuffix("[]"))[-1]).replace("_", " ")
    pages = len({placed.address for placed in group.parts})
    for texts in ([p.table.name for p in group.parts], [p.title for p in group.parts]):
        if words := _common_words(texts):
            return words
    path = PurePosixPath(unquote(urlsplit(group.parts[0].address).path))
    named = path.parent.name if pages > 1 and path.parent.name else path.stem
    return plural_of(singular_of(snake_case(named or "records"))).replace("_", " ")


def _common_words(texts: Sequence[str]) -> str:
    """Return the words that texts start or end with in common, small words and numbers at the edges left out."""
    distinct = list(dict.fromkeys(texts))
    if not all(distinct):
        return ""
    if len(distinct) == 1:
        words = distinct[0].split()
    else:
        start, end = _shared(distinct)
        first = distinct[0].split()
        words = first[:start] or first[len(first) - end :]
    words = _head_noun(re.split(r"\s+[-–—|·:]\s+", " ".join(words))[0].split())
    while words and (words[-1].lower() in _SMALL_WORDS or not re.search(r"[^\W\d]", words[-1])):
        words.pop()
    while words and (words[0].lower() in _SMALL_WORDS or not re.search(r"[^\W\d]", words[0])):
        words.pop(0)
    return snake_case(" ".join(words)).replace("_", " ") if words else ""


def _head_noun(words: list[str]) -> list[str]:
    """Return a heading's words up to what narrows them: 'List of countries by population' → 'countries'."""
    while len(words) > 2 and words[0].lower() in _MEASURES and words[1].lower() == "of":
        words = words[2:]
    end = next((i for i, word in enumerate(words) if i and word.lower() in _NARROWING), len(words))
    return words[:end]


def _title(group: _Group) -> str:
    table, title = group.parts[0].table, group.parts[0].title
    if len(group.parts) == 1:
        return table.name or title
    return _common_words([p.title for p in group.parts]) or _stem(group)
