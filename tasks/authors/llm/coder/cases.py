"""Cases: arguments of calls that test a tool, drawn from real rows with a seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tasks.authors.base import Frames
from tasks.authors.llm.coder.designs import Spec
from tasks.authors.rules.unit_tests.subject import LARGEST_KEY, UNKNOWN_TEXTS

Arguments = dict[str, Any]

MOST_DRAWN = 6
UNKNOWN = {"string": UNKNOWN_TEXTS[0], "integer": LARGEST_KEY}
"""What no row has, by type."""


def drawn_arguments(spec: Spec, frames: Frames, proposed: Sequence[Arguments], rng: Random) -> list[Arguments]:
    """Return arguments drawn from rows of the parameters' tables, and one call each about what no row has.

    Values of parameters that no column supplies are taken from the proposed calls. May be empty.
    """
    calls = [_draw(spec, frames, proposed, rng) for _ in range(MOST_DRAWN)]
    drawn = [call for call in calls if call is not None]
    return drawn + [unknown for first in drawn[:1] for unknown in _unknown(spec, first)]


def _draw(spec: Spec, frames: Frames, proposed: Sequence[Arguments], rng: Random) -> Arguments | None:
    """Return one call; parameters of one table take their values of one row. None: a required one has no value."""
    rows = {table: _row(frames, table, rng) for table in sorted({table for table, _ in spec.columns.values()})}
    arguments: Arguments = {}
    for name, schema in spec.tool.input_schema["properties"].items():
        required = name in spec.tool.input_schema["required"]
        if not required and rng.random() < 0.5:
            continue
        if name in spec.columns:
            table, column = spec.columns[name]
            value = rows[table].get(column)
        else:
            others = [call[name] for call in proposed if call.get(name) is not None]
            values = [False, True] if schema["type"] == "boolean" else others
            value = rng.choice(values) if values else None
        if value is not None:
            arguments[name] = value
        elif required:
            return None
    return arguments


def _row(frames: Frames, table: str, rng: Random) -> Arguments:
    frame = frames.get(table)
    return frame.row(rng.randrange(frame.height), named=True) if frame is not None and frame.height else {}


def _unknown(spec: Spec, arguments: Arguments) -> Iterator[Arguments]:
    """Yield a call with, for each required parameter of a column in turn, a value that no row has."""
    for name in spec.tool.input_schema["required"]:
        kind = spec.tool.input_schema["properties"][name]["type"]
        if name in spec.columns and kind in UNKNOWN:
            yield {**arguments, name: UNKNOWN[kind]}
