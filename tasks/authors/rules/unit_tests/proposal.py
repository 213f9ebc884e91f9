"""Unit tests for a tool module: every expected value is the oracle's or the interpreter's, none is a tool's.

At least three tests a tool (works, edge, refuses). Arguments are drawn from real records with a
seed of environment, tool and seed, and chosen so that common bugs show: values on the bounds of
filters, two filters at once, pages that end exactly, ties and empty cells in what is sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import polars as pl

from schemas.environments import Environment
from schemas.tools import Tool, ToolModule, ToolTest
from tasks.authors.rules.documents.unit_tests import document_tests
from tasks.authors.rules.unit_tests.figures import aggregate_tests, top_tests
from tasks.authors.rules.unit_tests.moves import Board
from tasks.authors.rules.unit_tests.operations import Search, open_search, operation_tests
from tasks.authors.rules.unit_tests.oracle import Oracle
from tasks.authors.rules.unit_tests.reads import get_tests, list_tests, search_tests
from tasks.authors.rules.unit_tests.subject import Subject

READS: dict[str, Callable[[Subject], list[ToolTest]]] = {
    "get": get_tests,
    "search": search_tests,
    "list": list_tests,
    "aggregate": aggregate_tests,
    "top": top_tests,
}


def propose_tests(
    environment: Environment, module: ToolModule, frames: dict[str, pl.DataFrame], seed: int
) -> list[ToolTest]:
    """Return the tests of every tool in the module's order.

    `frames` (table → frame) are the mined tables and the overlay's seeded rows, as they were
    before loading. A tool of an operation that is not known gets no test, and so is not kept.
    """
    oracle = Oracle(frames, environment.profile)
    search = open_search(Board(environment, frames, module.tools), seed)
    tests: list[ToolTest] = []
    for tool in module.tools:
        rng = Random(f"{environment.id}/{tool.name}/{seed}")
        tests += _distinct(_tests_of(Subject(environment, tool, oracle, rng), search))
    return tests


def _tests_of(subject: Subject, search: Search) -> list[ToolTest]:
    tool: Tool = subject.tool
    if tool.intent.get("documents"):
        return document_tests(subject)
    if "archetype" in tool.intent:
        return operation_tests(subject, search)
    propose = READS.get(tool.operation)
    return propose(subject) if propose else []


def _distinct(tests: list[ToolTest]) -> list[ToolTest]:
    """Leave out tests of the same call after the same setup."""
    seen: dict[str, ToolTest] = {}
    for test in tests:
        call = repr(([c.model_dump() for c in test.setup], sorted(test.arguments.items())))
        seen.setdefault(call, test)
    return list(seen.values())
