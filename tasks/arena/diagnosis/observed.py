"""What calls returned: the values by the names they came under, and the records, each from the call on that told it first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.arena.diagnosis.calls import Made, text_of

Pair = tuple[str, str]
"""A name and a value as text."""


class Observed:
    """What a run of calls was told."""

    def __init__(self, calls: Sequence[Made]) -> None:
        self._names: dict[str, dict[str, int]] = {}
        self._records: list[tuple[int, frozenset[Pair]]] = []
        for call in calls:
            if call.refused:
                continue
            for name, value in values_in(call.observation):
                self._names.setdefault(text_of(value), {}).setdefault(name, call.place)
            self._records += [(call.place, pairs_of(record)) for record in records_in(call.observation)]

    def names(self, value: Any, before: int) -> set[str]:
        """Return the names under which the calls before a place returned a value."""
        return {name for name, place in self._names.get(text_of(value), {}).items() if place < before}

    def tellers(self, pairs: frozenset[Pair]) -> Iterator[int]:
        """Yield the places of the calls that returned a record which holds all of these pairs."""
        return (place for place, record in self._records if pairs <= record)


def pairs_of(record: Mapping[str, Any]) -> frozenset[Pair]:
    """Return a record's names with their values as text."""
    return frozenset((name, text_of(value)) for name, value in record.items())


def values_in(observation: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every single value at any depth, with the name that it or the list around it has."""
    if isinstance(observation, dict):
        for key, child in observation.items():
            yield from values_in(child, key)
    elif isinstance(observation, list):
        for child in observation:
            yield from values_in(child, name)
    else:
        yield name, observation


def records_in(observation: Any) -> Iterator[dict[str, Any]]:
    """Yield every object at any depth, outer ones first, with its single values alone."""
    if isinstance(observation, dict):
        yield {name: value for name, value in observation.items() if not isinstance(value, dict | list)}
    for child in children(observation):
        yield from records_in(child)


def children(observation: Any) -> list[Any]:
    """Return the objects and lists directly inside an observation."""
    inside = observation.values() if isinstance(observation, dict) else observation
    return [child for child in inside if isinstance(child, dict | list)] if isinstance(observation, dict | list) else []
