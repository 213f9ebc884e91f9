"""Contamination: environments and tasks that are a public benchmark's again, by names, tools and words.

The block list is the folder benchmarks/. What is alike by its subject alone (a shop, an airport, a help desk) is not
flagged: it takes names of tools that nobody picks by chance, or a benchmark's own words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.environments import Environment
from schemas.proofs import Flag
from schemas.tasks import AgentTask
from schemas.tools import Tool

OWN_TOOLS = 3
"""Names of a benchmark's own that an environment may not have all of: one or two come about by chance."""
OWN_TOOLS_WITH_TABLES = 2
"""The same, where the environment has all tables of the benchmark too."""
HALF, NEARLY_ALL = 0.5, 0.8
"""Share of all names, common ones too, that is no chance: half with one of the benchmark's own, nearly all without."""
WORDS_TOGETHER = 8
"""Length of the word sequences that a request may not share with a benchmark's."""
_LISTS = Path(__file__).with_name("benchmarks")
_WORD = re.compile(r"\w+")


class Benchmark(BaseModel):
    """What one domain of a benchmark is known by.

    `tools` are names that nobody picks by chance and `common` names that others use too, in snake case. `marks` are
    ids of its records, `requests` are the first words of requests as published.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    names: tuple[str, ...]
    tables: tuple[str, ...]
    tools: frozenset[str]
    common: frozenset[str]
    marks: tuple[str, ...]
    requests: tuple[str, ...]


@cache
def benchmarks() -> tuple[Benchmark, ...]:
    """Return the block list, by file and place."""
    files = sorted(_LISTS.glob("*.toml"))
    return tuple(
        Benchmark.model_validate(domain)
        for file in files
        for domain in tomllib.loads(file.read_text(encoding="utf-8"))["domains"]
    )


def flag(environment: Environment, tools: Sequence[Tool], tasks: Iterable[AgentTask]) -> list[Flag]:
    """Flag what of an environment and its tasks is a benchmark's: the environment first, then tasks by id."""
    tables = {table.name for table in environment.profile.tables}
    names = {snake_case(tool.name) for tool in tools}
    found = []
    for benchmark in benchmarks():
        if evidence := _evidence(benchmark, environment.theme_name, tables, names):
            found.append(_flag("environment", environment.id, benchmark, *evidence))
    for task in sorted(tasks, key=lambda task: task.id):
        for benchmark in benchmarks():
            if evidence := _shared_words(benchmark, task.request):
                found.append(_flag("task", task.id, benchmark, *evidence))
    return found


def snake_case(name: str) -> str:
    """Return a name with its words in lower case and underscores between them: startEngine → start_engine."""
    return "_".join(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()))


def _flag(
    kind: Literal["task", "environment"], subject: str, benchmark: Benchmark, evidence: str, score: float
) -> Flag:
    return Flag(
        subject_kind=kind,
        subject_id=subject,
        kind="contaminated",
        what=benchmark.name,
        evidence=evidence,
        score=round(score, 4),
    )


def _evidence(benchmark: Benchmark, theme: str, tables: set[str], tools: set[str]) -> tuple[str, float] | None:
    """Return how an environment shows that it is a benchmark's, and how much of it; None when it does not."""
    called = f"_{snake_case(theme)}_"
    if name := next((name for name in benchmark.names if f"_{name}_" in called), None):
        return f"it is called {name}", 1.0
    own, all_names = tools & benchmark.tools, benchmark.tools | benchmark.common
    shared = tools & all_names
    share = len(shared) / len(all_names)
    same_tables = bool(benchmark.tables) and tables >= set(benchmark.tables)
    enough = len(own) >= OWN_TOOLS or (same_tables and len(own) >= OWN_TOOLS_WITH_TABLES)
    if not enough and not (own and share >= HALF) and share < NEARLY_ALL:
        return None
    with_tables = f", and its tables {', '.join(sorted(benchmark.tables))}" if same_tables else ""
    return f"tools {', '.join(sorted(shared))}{with_tables}", share


def _shared_words(benchmark: Benchmark, request: str) -> tuple[str, float] | None:
    """Return the words or ids that a request shares with a benchmark's, and the share of word sequences; None for none."""
    if mark := next((mark for mark in benchmark.marks if mark in request), None):
        return f"it names {mark}", 1.0
    said = set(_sequences(request))
    for published in benchmark.requests:
        sequences = list(_sequences(published))
        if shared := [words for words in sequences if words in said]:
            return f"it says “{shared[0]}”", len(shared) / len(sequences)
    return None


def _sequences(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    for start in range(len(words) - WORDS_TOGETHER + 1):
        yield " ".join(words[start : start + WORDS_TOGETHER])
