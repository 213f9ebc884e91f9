"""The test of the tests: bugs injected into tools must be caught, and right tools must pass.

A mutant is caught if a unit test of the tool it was injected into fails. A mutant that is not
caught is left out of the count only if it answers all probes of that tool as the right module does
and leaves the same state (see `probes.py`). Default: a seeded sample of every kind; all mutants
with `pytest -m sweep -s tests/tasks/authors/rules/unit_tests/test_bug_injection.py`.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from schemas.tools import Tool, ToolTest
from tasks.authors.rules.unit_tests.proposal import propose_tests
from tasks.verification.tool_gate import judge_tools
from tasks.verification.trials import try_tools
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World
from tests.tasks.authors.rules.tool_worlds import ToolWorld
from tests.tasks.authors.rules.unit_tests.mutations import Mutant, mutate, reach
from tests.tasks.authors.rules.unit_tests.probes import draw_probes

LEAST_CAUGHT = 0.90
LEAST_KINDS = 10
SAMPLED = 2
"""Mutants of a kind and environment in the default suite."""


@dataclass
class Bench:
    """One bundled environment with its tools, tests and right bundle."""

    world: ToolWorld
    tests: list[ToolTest]
    bundle: Bundle
    probed: dict[str, Any] = field(default_factory=dict)

    def lifecycles(self) -> list[set[str]]:
        """Return the statuses of each table that has some."""
        columns = [column for table in self.world.environment.profile.tables for column in table.columns]
        return [set(column.categories) for column in columns if column.name == "status"]

    def injections(self) -> list[Injection]:
        """Return every bug in every tool whose function holds or reaches it."""
        module = self.world.module
        reached, mutants = reach(module.source), mutate(module.source, self.lifecycles())
        return [Injection(self, tool, m) for tool in module.tools for m in mutants if m.owner in reached[tool.name]]


@dataclass(frozen=True)
class Injection:
    """One bug, and the tool whose tests must catch it."""

    bench: Bench
    tool: Tool
    mutant: Mutant

    def __str__(self) -> str:
        return f"{self.bench.world.environment.theme_name} {self.tool.name}: {self.mutant.kind}, {self.mutant.detail}"


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


@pytest.fixture(scope="module")
def benches(worlds: list[ToolWorld], tmp_path_factory: pytest.TempPathFactory) -> list[Bench]:
    return [_bench(each, tmp_path_factory.mktemp("bench")) for each in worlds]


def _bench(world: ToolWorld, folder: Path) -> Bench:
    environment = world.environment
    bundle = write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(),
        tools_source=world.module.source,
        tools=[tool.model_dump() for tool in world.module.tools],
        world_db=world.folder / "world.db",
    )
    return Bench(world, propose_tests(environment, world.module, world.frames, seed=0), bundle)


def test_every_right_tool_passes_all_its_tests_of_three_cases(world: World, benches: list[Bench]) -> None:
    for bench in benches:
        module = bench.world.module
        report = judge_tools(world, bench.world.environment, module, bench.tests, bench.bundle.database, 0.5)
        assert [outcome for outcome in report.outcomes if not outcome.passed] == []
        assert report.kept == module.tools
        for tool in module.tools:
            assert {t.case for t in bench.tests if t.tool == tool.name} == {"works", "edge", "refuses"}, tool.name


def test_tests_depend_on_the_seed_alone(benches: list[Bench]) -> None:
    for bench in benches:
        module, frames = bench.world.module, bench.world.frames
        assert propose_tests(bench.world.environment, module, frames, seed=0) == bench.tests
        assert propose_tests(bench.world.environment, module, frames, seed=1) != bench.tests
        assert len({test.id for test in bench.tests}) == len(bench.tests)


def test_sampled_bugs_are_caught(world: World, benches: list[Bench], tmp_path: Path) -> None:
    _assert_caught(world, [injection for bench in benches for injection in _sample(bench)], tmp_path)


@pytest.mark.sweep
def test_all_bugs_are_caught(world: World, benches: list[Bench], tmp_path: Path) -> None:
    _assert_caught(world, [injection for bench in benches for injection in bench.injections()], tmp_path)


def _sample(bench: Bench) -> list[Injection]:
    """Draw a few bugs of every kind."""
    rng = Random(f"bugs in {bench.world.environment.theme_name}")
    by_kind: dict[str, list[Injection]] = defaultdict(list)
    for injection in bench.injections():
        by_kind[injection.mutant.kind].append(injection)
    return [i for kind in sorted(by_kind) for i in rng.sample(by_kind[kind], min(SAMPLED, len(by_kind[kind])))]


def _assert_caught(world: World, injections: list[Injection], folder: Path) -> None:
    found: dict[str, list[Injection]] = {"caught": [], "missed": [], "equivalent": []}
    for index, injection in enumerate(injections):
        found[_verdict(world, injection, folder / str(index))].append(injection)
    counts = {verdict: Counter(i.mutant.kind for i in of_verdict) for verdict, of_verdict in found.items()}
    caught, missed = counts["caught"], counts["missed"]
    for kind in sorted({i.mutant.kind for i in injections}):
        effective = caught[kind] + missed[kind]
        rate = f"{caught[kind] / effective:.0%}" if effective else "-"
        print(f"{kind:22} caught {caught[kind]:4} of {effective:4} {rate:>5}   equivalent {counts['equivalent'][kind]}")
    effective = caught.total() + missed.total()
    print(f"{'all':22} caught {caught.total():4} of {effective:4} {caught.total() / effective:.1%}")
    escaped = [f"missed: {injection}" for injection in found["missed"]]
    print("\n".join(escaped))
    assert len(caught) >= LEAST_KINDS
    assert caught.total() / effective >= LEAST_CAUGHT, escaped


def _verdict(world: World, injection: Injection, folder: Path) -> str:
    bench, tool = injection.bench, injection.tool
    bundle = _wrong_bundle(bench.bundle, injection.mutant, folder)
    tests = [test for test in bench.tests if test.tool == tool.name]
    if not all(outcome.passed for outcome in try_tools(world, bundle, [tool], tests)[tool.name].outcomes):
        return "caught"
    probes = draw_probes(bench.world.environment, tool, bench.world.frames)
    if tool.name not in bench.probed:
        bench.probed[tool.name] = _answers(world, bench.bundle, tool, probes)
    return "equivalent" if _answers(world, bundle, tool, probes) == bench.probed[tool.name] else "missed"


def _wrong_bundle(right: Bundle, mutant: Mutant, folder: Path) -> Bundle:
    """Return the bundle with the mutant's module; the seed database is shared, sessions copy it."""
    folder.mkdir()
    bundle = replace(right, path=folder)
    os.link(right.database, bundle.database)
    bundle.tools_source.write_text(mutant.source)
    return bundle


def _answers(world: World, bundle: Bundle, tool: Tool, probes: list[dict[str, Any]]) -> tuple[list[Any], Any]:
    with world.open(bundle, seed="probes") as session:
        return [session.call(tool.name, probe) for probe in probes], session.diff()
