"""Equivalence: whether an attempt is the gold one in other words, decided without the verifier's own comparison.

A verifier that is too kind would call its own mistakes equivalent. So answers are equal here only as JSON (5 is
5.0, nothing else is forgiven), and changes only row by row, after one renaming of the keys that were minted.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ROUNDS = 3
"""How far the rows that refer to a minted row, and those that refer to them, are taken to tell it from others."""
MOST_RENAMINGS = 200
"""Renamings that are tried among minted rows that look alike; beyond, two changes count as different."""
Key = tuple[str, str]
"""Table and key (as text) of a minted row."""
Names = dict[Key, str]
"""Minted row → the name that stands for it."""


def same_answer(given: Any, gold: Any) -> bool:
    """Return whether two answers are equal as JSON."""
    return _encode(_number(given)) == _encode(_number(gold))


def same_change(given: Mapping[str, Any], gold: Mapping[str, Any], contract: Mapping[str, Any]) -> bool:
    """Return whether two changes are equal up to log tables, the clock's columns and one renaming of minted keys."""
    return GoldChange(gold, contract).equals(given)


class GoldChange:
    """A gold change, read once, to be compared with many others."""

    def __init__(self, gold: Mapping[str, Any], contract: Mapping[str, Any]) -> None:
        """Read the change; see `same_change` for what the contract does."""
        self._contract = contract
        self._gold = _entries(gold, contract)
        self._names = _looks(self._gold)
        self._texts = _texts(self._gold, self._names)

    def equals(self, given: Mapping[str, Any]) -> bool:
        """Return whether a change is this one in other words."""
        entries = _entries(given, self._contract)
        if len(entries) != len(self._gold):
            return False
        names = _looks(entries)
        if _texts(entries, names) != self._texts:
            return False
        return any(
            _texts(entries, mine) == _texts(self._gold, theirs)
            for mine, theirs in itertools.islice(_renamings(names, self._names), MOST_RENAMINGS)
        )


@dataclass(frozen=True)
class _Entry:
    """One changed row without clocks: what happened to it, what it holds, and which columns hold minted keys."""

    head: tuple[Any, ...]
    content: dict[str, Any]
    links: dict[str, Key]
    own: Key | None = None

    def text(self, names: Names) -> str:
        """Return the row with names in the place of minted keys."""
        return _encode([self.head, self.content | {column: names[key] for column, key in self.links.items()}])


def _entries(change: Mapping[str, Any], contract: Mapping[str, Any]) -> list[_Entry]:
    minted = set(_minted(change, contract))
    entries = []
    for table in sorted(change.keys() - set(contract.get("log_tables", ()))):
        clocks = set(contract.get("clock_columns", {}).get(table, ()))
        own = contract.get("generated_keys", {}).get(table)
        leads = {**contract.get("references", {}).get(table, {}), **({own: table} if own else {})}
        for head, row in _changed_rows(change[table]):
            content = {column: _number(value) for column, value in row.items() if column not in clocks}
            led = {column: (leads[column], _encode(content[column])) for column in content.keys() & leads.keys()}
            links = {column: key for column, key in led.items() if key in minted}
            if content or head[0] != "updated":
                inserted = own is not None and head[0] == "inserted"
                entries.append(_Entry((table, *head), content, links, links[own] if inserted else None))
    return entries


def _minted(change: Mapping[str, Any], contract: Mapping[str, Any]) -> Iterator[Key]:
    for table, key in contract.get("generated_keys", {}).items():
        for row in change.get(table, {}).get("inserted", ()):
            yield table, _encode(_number(row[key]))


def _changed_rows(change: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    for kind in ("inserted", "deleted"):
        yield from (((kind,), row) for row in change.get(kind, ()))
    yield from ((("updated", update["key"]), update["new"]) for update in change.get("updated", ()))


def _looks(entries: list[_Entry]) -> Names:
    """Name every minted row by what it and the rows that hold its key look like; rows that look alike share a name."""
    names: Names = {entry.own: "minted" for entry in entries if entry.own is not None}
    for _ in range(ROUNDS if names else 0):
        seen: dict[Key, list[str]] = defaultdict(list)
        for entry in entries:
            text = entry.text(names)
            for column, key in entry.links.items():
                seen[key].append(f"{column} {text}")
        names = {key: hashlib.sha256("\n".join(sorted(seen[key])).encode()).hexdigest() for key in names}
    return names


def _renamings(given: Names, gold: Names) -> Iterator[tuple[Names, Names]]:
    """Yield each pair of namings in which every minted row has a name of its own, rows that look alike in any order."""
    alike: dict[str, tuple[list[Key], list[Key]]] = defaultdict(lambda: ([], []))
    for side, names in enumerate((given, gold)):
        for key, name in sorted(names.items()):
            alike[name][side].append(key)
    theirs = {key: f"{name} {number}" for name, (_, keys) in alike.items() for number, key in enumerate(keys)}
    some = (itertools.islice(itertools.permutations(mine), MOST_RENAMINGS) for mine, _ in alike.values())
    for orders in itertools.product(*some):
        named = zip(alike, orders, strict=True)
        yield {key: f"{name} {number}" for name, keys in named for number, key in enumerate(keys)}, theirs


def _texts(entries: list[_Entry], names: Names) -> Counter[str]:
    return Counter(entry.text(names) for entry in entries)


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _number(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _number(item) for key, item in value.items()}
    return [_number(item) for item in value] if isinstance(value, list) else value
