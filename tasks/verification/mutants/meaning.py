"""Equivalence: whether an attempt is the gold one in other words, decided without the verifier's own comparison.

A verifier that is too kind would call its own mistakes equivalent. So answers are equal here only as JSON (5 is
5.0, nothing else is forgiven), and changes only row by row, after one renaming of the keys that were minted.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

MOST_MINTED = 6
"""Minted rows whose every renaming is tried; beyond, only equal keys are equal."""
Keys = dict[tuple[str, str], str]
"""Table and key (as text) of a minted row → the name that stands for it."""


def same_answer(given: Any, gold: Any) -> bool:
    """Return whether two answers are equal as JSON."""
    return _text(given) == _text(gold)


def same_change(given: Mapping[str, Any], gold: Mapping[str, Any], contract: Mapping[str, Any]) -> bool:
    """Return whether two changes are equal up to log tables, the clock's columns and one renaming of minted keys."""
    names = {key: f"minted {number}" for number, key in enumerate(_minted(gold, contract))}
    wanted = _rows(gold, contract, names)
    return any(_rows(given, contract, renaming) == wanted for renaming in _renamings(given, names, contract))


def _minted(change: Mapping[str, Any], contract: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (table, _text(row[key]))
        for table, key in sorted(contract.get("generated_keys", {}).items())
        for row in change.get(table, {}).get("inserted", ())
    ]


def _renamings(given: Mapping[str, Any], names: Keys, contract: Mapping[str, Any]) -> Iterator[Keys]:
    """Yield each way in which the minted rows of a change can stand for the gold ones."""
    own = _minted(given, contract)
    if sorted(table for table, _ in own) != sorted(table for table, _ in names):
        return
    if len(own) > MOST_MINTED:
        yield {key: names.get(key, "another") for key in own}
        return
    for order in itertools.permutations(names):
        if all(mine[0] == theirs[0] for mine, theirs in zip(own, order, strict=True)):
            yield {mine: names[theirs] for mine, theirs in zip(own, order, strict=True)}


def _rows(change: Mapping[str, Any], contract: Mapping[str, Any], names: Keys) -> Counter[str]:
    """Return the changed rows as a multiset of texts, with the names of minted rows in the place of their keys."""
    found: Counter[str] = Counter()
    for table in set(change) - set(contract.get("log_tables", ())):
        clocks = set(contract.get("clock_columns", {}).get(table, ()))
        own = contract.get("generated_keys", {}).get(table)
        leads = {**contract.get("references", {}).get(table, {}), **({own: table} if own else {})}

        def plain(row: Mapping[str, Any], clocks: set[str] = clocks, leads: dict[str, str] = leads) -> dict[str, Any]:
            return {
                column: names.get((leads[column], _text(value)), value) if column in leads else value
                for column, value in row.items()
                if column not in clocks
            }

        for row in change[table].get("inserted", ()):
            found[_text(["inserted", table, plain(row)])] += 1
        for row in change[table].get("deleted", ()):
            found[_text(["deleted", table, plain(row)])] += 1
        for update in change[table].get("updated", ()):
            new = plain(update["new"])
            if new:
                found[_text(["updated", table, update["key"], new])] += 1
    return found


def _text(value: Any) -> str:
    return json.dumps(_number(value), sort_keys=True, ensure_ascii=False)


def _number(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _number(item) for key, item in value.items()}
    return [_number(item) for item in value] if isinstance(value, list) else value
