"""What the documents of a workspace say: entries, single figures, saved queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.records import Records, Row, Unsolvable

Leaf = tuple[tuple[str, ...], Any]


class Documents:
    """Documents by title."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def path(self, title: str) -> str:
        """Return the path of the document with a title."""
        listed = self._records.ask("list_documents")["items"]
        found = [each["path"] for each in listed if each["title"].lower() == title.lower()]
        if len(found) != 1:
            raise Unsolvable(f"{len(found)} documents are called {title!r}")
        return str(found[0])

    def entries(self, title: str) -> list[Row]:
        """Return the rows of a document's longest list, by their fields as people say them."""
        return [{plain_field(field): value for field, value in row.items()} for row in self._list(title)]

    def column(self, title: str, name: str) -> str:
        """Return what a document writes over the column that people call so."""
        found = [field for field in self._list(title)[0] if plain_field(field) == plain_field(name)]
        if len(found) != 1:
            raise Unsolvable(f"{title!r} has no column {name!r}")
        return found[0]

    def _list(self, title: str) -> list[Row]:
        lists = list(_lists(self._content(title)))
        if not lists:
            raise Unsolvable(f"{title!r} lists nothing")
        return max(lists, key=len)

    def saved(self, title: str, name: str) -> list[Row]:
        """Return what a saved query gives."""
        answer = self._records.ask("run_document_query", path=self.path(title), name=name)
        if answer["more"]:
            raise Unsolvable(f"{name!r} gives more rows than are shown")
        return list(answer["rows"])

    def figure(self, title: str, words: str) -> Any:
        """Return the figure that a document calls so: the one whose place shares the most words with it."""
        wanted = _tokens(words)
        ranked = sorted(
            ((_likeness(wanted, place), value) for place, value in _leaves(self._content(title), ())), key=_first
        )
        if not ranked or ranked[-1][0] <= (0, 0):
            raise Unsolvable(f"{title!r} has no figure {words!r}")
        best = [value for score, value in ranked if score == ranked[-1][0]]
        if len(set(map(str, best))) > 1:
            raise Unsolvable(f"{title!r} has several figures {words!r}")
        return best[0]

    def _content(self, title: str) -> Any:
        read = self._records.ask("read_document", path=self.path(title))
        return {part: value for part, value in read.items() if part in ("value", "rows", "sections", "statements")}


def _first(pair: tuple[tuple[int, int], Any]) -> tuple[int, int]:
    return pair[0]


def _lists(node: Any) -> Iterator[list[Row]]:
    if isinstance(node, list) and node and all(isinstance(each, dict) for each in node):
        if not any(isinstance(value, dict | list) for each in node for value in each.values()):
            yield node
            return
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _lists(each)


def _leaves(node: Any, place: tuple[str, ...]) -> Iterator[Leaf]:
    """Yield figures with the names on the way to them; a row of a table is named by its first cell."""
    if isinstance(node, dict):
        cells = list(node.items())
        flat = len(cells) > 1 and all(not isinstance(value, dict | list) for _, value in cells)
        name = (str(cells[0][1]),) if flat and isinstance(cells[0][1], str) else ()
        for key, value in cells:
            yield from _leaves(value, (*place, *name, key))
    elif isinstance(node, list):
        for each in node:
            yield from _leaves(each, place)
    elif _is_figure(node):
        yield place, node


def _is_figure(value: Any) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\d{4}-\d\d-\d\d(T[\d:]+)?", value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _likeness(wanted: set[str], place: tuple[str, ...]) -> tuple[int, int]:
    """Return how many of the words the place has, then how few it has besides."""
    there = _tokens(" ".join(place))
    return len(wanted & there), -len(there - wanted)


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower().replace("_", " ")))
