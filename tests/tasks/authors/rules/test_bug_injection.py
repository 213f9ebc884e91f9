"""The test of the tests: bugs injected into tools must be caught, and right tools must pass.

A mutant is caught if a unit test of the tool it was injected into fails. A mutant that is not
caught is left out of the count only if it answers all probes of that tool as the right module does
and leaves the same state (see `probes.py`). Default: a seeded sample of every kind; all mutants
with `pytest -m sweep tests/tasks/authors/rules/test_bug_injection.py -s`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from schemas.environments import Environment
from schemas.tools import Tool, ToolModule, ToolTest
from tasks.authors.rules.overlays import propose_overlay
from tasks.authors.rules.tool_module import propose_tools
from tasks.authors.rules.unit_tests import propose_tests
from tasks.mining.environments import build_environment, overlay_frames
from tasks.mining.tables import mine_tables
from tasks.themes.bundled import bundled_themes
from tasks.verification.tool_gate import judge_tools, try_tool
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World
from tests.tasks.authors.rules.mutations import OPERATORS, Mutant, mutate, reach
from tests.tasks.authors.rules.probes import draw_probes

LEAST_CAUGHT = 0.90
SAMPLED = 4
"""Mutants of a kind and environment in the default suite."""


@dataclass
class Bench:
    """One bundled environment with its tools, tests and mutants."""

    environment: Environment
    module: ToolModule
    frames: dict[str, pl.DataFrame]
    tests: list[ToolTest]
    bundle: Bundle
    probed: dict[str, Any] = field(default_factory=dict)

    def injections(self) -> list[tuple[Tool, Mutant]]:
        """Return every bug in every tool whose function holds or reaches it."""
        reached = reach(self.module.source)
        mutants = mutate(self.module.source)
        return [(tool, m) for tool in self.module.tools for m in mutants if m.owner in reached[tool.name]]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> list[Bench]:
    return [_bench(theme, tmp_path_factory.mktemp(theme.name)) for theme in bundled_themes()]


def _bench(theme: Any, folder: Path) -> Bench:
    mined = mine_tables(theme, seed=0, world_mb=5.0)
    overlay = propose_overlay(mined.profile, mined.frames, theme.overlay, 0)
    environment = build_environment(theme, mined, overlay, "rules", 0, folder / "seed.db")
    module = propose_tools(environment)
    frames = {**mined.frames, **overlay_frames(overlay)}
    bundle = write_bundle(
        folder / "right", environment_id=environment.id, world_sha256=environment.world_sha256,
        clock_start=environment.clock_start, contract=environment.contract.model_dump(),
        tools_source=module.source, tools=[t.model_dump() for t in module.tools], world_db=folder / "seed.db",
    )
    return Bench(environment, module, frames, propose_tests(environment, module, frames, 0), bundle)


def test_every_right_tool_passes_all_its_tests_and_has_three_kinds(world: World, benches: list[Bench]) -> None:
    for bench in benches:
        report = judge_tools(world, bench.environment, bench.module, bench.tests, bench.bundle.database, 0.5)
        assert [o for o in report.outcomes if not o.passed] == []
        assert [t.name for t in report.kept] == [t.name for t in bench.module.tools]
        for tool in bench.module.tools:
            cases = [t.case for t in bench.tests if t.tool == tool.name]
            assert set(cases) == {"works", "edge", "refuses"}, tool.name


def test_sampled_bugs_are_caught(world: World, benches: list[Bench], tmp_path: Path) -> None:
    injections = [(bench, *injection) for bench in benches for injection in _sample(bench.injections())]
    _assert_caught(world, injections, tmp_path)


@pytest.mark.sweep
def test_all_bugs_are_caught(world: World, benches: list[Bench], tmp_path: Path) -> None:
    injections = [(bench, *injection) for bench in benches for injection in bench.injections()]
    _assert_caught(world, injections, tmp_path)


def _sample(injections: list[tuple[Tool, Mutant]]) -> list[tuple[Tool, Mutant]]:
    rng = Random("bug injection")
    sample = []
    for kind in sorted({m.kind for _, m in injections}):
        of_kind = [injection for injection in injections if injection[1].kind == kind]
        sample += rng.sample(of_kind, min(SAMPLED, len(of_kind)))
    return sample


def _assert_caught(world: World, injections: list[tuple[Bench, Tool, Mutant]], folder: Path) -> None:
    caught, missed, equivalent = Counter(), Counter(), Counter()
    escapes = []
    for index, (bench, tool, mutant) in enumerate(injections):
        bundle = _wrong_bundle(bench, mutant, folder / str(index))
        tests = [t for t in bench.tests if t.tool == tool.name]
        if not all(o.passed for o in try_tool(world, bundle, tool, tests).outcomes):
            caught[mutant.kind] += 1
        elif _is_equivalent(world, bench, tool, bundle):
            equivalent[mutant.kind] += 1
        else:
            missed[mutant.kind] += 1
            escapes.append(f"{bench.environment.theme_name} {tool.name} {mutant.kind} {mutant.detail}")
    for kind in sorted(caught | missed | equivalent):
        total = caught[kind] + missed[kind]
        rate = f"{caught[kind] / total:.0%}" if total else "-"
        print(f"{kind:22} caught {caught[kind]:4} of {total:4} {rate:>5}, equivalent {equivalent[kind]}")
    print("\n".join(escapes))
    assert len(set(caught)) >= 10
    assert set(caught) >= set(OPERATORS) - {"missing_precondition"} - set(equivalent)
    assert caught.total() / (caught.total() + missed.total()) >= LEAST_CAUGHT, escapes


def _wrong_bundle(bench: Bench, mutant: Mutant, folder: Path) -> Bundle:
    folder.mkdir()
    os.link(bench.bundle.database, folder / bench.bundle.database.name)
    bundle = replace(bench.bundle, path=folder)
    bundle.tools_source.write_text(mutant.source)
    return bundle


def _is_equivalent(world: World, bench: Bench, tool: Tool, bundle: Bundle) -> bool:
    probes = draw_probes(bench.environment, tool, bench.frames)
    if tool.name not in bench.probed:
        bench.probed[tool.name] = _answers(world, bench.bundle, tool, probes)
    return _answers(world, bundle, tool, probes) == bench.probed[tool.name]


def _answers(world: World, bundle: Bundle, tool: Tool, probes: list[dict[str, Any]]) -> tuple[list[Any], Any]:
    with world.open(bundle, seed="probes") as session:
        return [session.call(tool.name, probe) for probe in probes], session.diff()
