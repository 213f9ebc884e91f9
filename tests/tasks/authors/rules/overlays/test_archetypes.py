"""Archetypes that rounds add: rows that keep their rules over any data, and rules that calls can meet and break."""

from __future__ import annotations

import importlib
import keyword
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from schemas.environments import Overlay
from schemas.operations import Insert
from schemas.themes import OverlayChoice, TableRecipe, Theme
from schemas.tools import ToolTest
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.choice import FIRST
from tasks.authors.rules.overlays.proposal import lay_archetype
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.authors.rules.unit_tests.proposal import propose_tests
from tasks.mining.environments import clock_start, overlay_frames
from tasks.mining.loading import load_world
from tasks.mining.quality.database import check_database
from tasks.mining.tables import MinedTables
from tasks.verification.tool_gate import judge_tools
from tasks.world.session import World
from tests.tasks.authors.rules.odd_worlds import ODD_WORLDS, mined
from tests.tasks.authors.rules.overlays.shop_world import shop
from tests.tasks.authors.rules.small_world import small_frames, small_profile
from tests.tasks.authors.rules.tool_worlds import ToolWorld, make_world

MORE = [archetype for name, archetype in ARCHETYPES.items() if name not in FIRST]
HANDMADE = ("shop", "small", *ODD_WORLDS)
MINED = ("films", "music_store")
MinedThemes = dict[str, MinedTables]
MODULES = {"collections": "curated_lists"}
SHOP = Theme(
    name="shop",
    title="A shop",
    description="A shop",
    package="none",
    version="1",
    licence="CC0",
    tables=[TableRecipe(name="any", file="any.csv")],
)


@cache
def _tables(world: str) -> MinedTables:
    if world in ODD_WORLDS:
        return mined(ODD_WORLDS[world]())
    if world == "small":
        return MinedTables(small_frames(), small_profile())
    return shop()


def _laid(archetype: Archetype, themes: MinedThemes) -> Iterator[tuple[MinedTables, str, Overlay]]:
    """Yield the archetype's overlay of every world that it suits, over its best host, with the clock's start."""
    for tables in [*map(_tables, HANDMADE), *(themes[name] for name in MINED)]:
        hosts = archetype.hosts(tables.profile)
        if hosts:
            start = clock_start(tables.profile)
            yield tables, start, lay_archetype(archetype, tables.profile, tables.frames, hosts[0][0], 0, start)


@pytest.mark.parametrize("archetype", MORE, ids=lambda archetype: archetype.name)
def test_seeded_rows_keep_every_rule(archetype: Archetype, mined_themes: MinedThemes, tmp_path: Path) -> None:
    laid = list(_laid(archetype, mined_themes))
    assert len(laid) >= 2
    for tables, start, overlay in laid:
        profile = tables.profile.model_copy(update={"tables": [*tables.profile.tables, *overlay.tables]})
        load_world(tmp_path / "world.db", {**tables.frames, **overlay_frames(overlay)}, profile.tables, overlay.checks)
        results = check_database(tmp_path / "world.db", profile, [overlay.operations], start)
        assert [result for result in results if not result.passed and result.severity == "critical"] == []
        own = {r.expectation for r in results if r.table in {table.name for table in overlay.tables}}
        assert own > {"columns_as_profiled", "key_is_unique", "values_as_profiled"}


@pytest.mark.parametrize("archetype", MORE, ids=lambda archetype: archetype.name)
def test_equal_seeds_give_equal_rows_in_whatever_order_the_mined_ones_come(
    archetype: Archetype, mined_themes: MinedThemes
) -> None:
    for tables, start, overlay in _laid(archetype, mined_themes):
        turned = {name: frame.reverse() for name, frame in tables.frames.items()}
        host = overlay.operations.host
        assert lay_archetype(archetype, tables.profile, turned, host, 0, start) == overlay
        assert lay_archetype(archetype, tables.profile, turned, host, 1, start).rows != overlay.rows


@pytest.mark.parametrize("archetype", MORE, ids=lambda archetype: archetype.name)
def test_names_are_free_and_the_host_column_is_none_of_the_operations_own(
    archetype: Archetype, mined_themes: MinedThemes
) -> None:
    module = importlib.import_module(f"tasks.authors.rules.overlays.{MODULES.get(archetype.name, archetype.name)}")
    for tables, _, overlay in _laid(archetype, mined_themes):
        operations = overlay.operations
        used = {column.name for table in overlay.tables for column in table.columns}
        for action in operations.actions:
            used |= {argument.name for argument in action.arguments} | {find.bind for find in action.finds}
            used |= {effect.bind for effect in action.effects if isinstance(effect, Insert)}
        assert used - {operations.host_key} <= module.OWN_NAMES
        assert all(name.isidentifier() and not keyword.iskeyword(name) for name in used)
        assert not {table.name for table in overlay.tables} & {table.name for table in tables.profile.tables}


@pytest.mark.parametrize("archetype", MORE, ids=lambda archetype: archetype.name)
def test_tables_hang_together_and_every_status_occurs(archetype: Archetype, mined_themes: MinedThemes) -> None:
    for tables, start, overlay in _laid(archetype, mined_themes):
        own = {table.name: table for table in overlay.tables}
        assert overlay.operations.host in {f.to_table for table in own.values() for f in table.foreign_keys}
        assert any(f.to_table in own for table in own.values() for f in table.foreign_keys)
        for name, table in own.items():
            rows = overlay.rows[name]
            assert table.rows == len(rows) > 0
            if table.label:
                assert len({row[table.label] for row in rows}) == len(rows)
            for column in table.columns:
                if column.type == "datetime":
                    assert max(row[column.name] for row in rows) < start
                if column.name == "status":
                    seen = Counter(row["status"] for row in rows)
                    assert set(seen) == set(column.categories) and min(seen.values()) >= 3, (archetype.name, seen)
        minted = overlay.contract.generated_keys
        assert set(minted) <= set(overlay.contract.writable) <= set(own)
        assert tables.profile.table(overlay.operations.host).rows


@pytest.mark.parametrize("archetype", MORE, ids=lambda archetype: archetype.name)
def test_actions_are_guarded_and_some_change_several_tables(archetype: Archetype, mined_themes: MinedThemes) -> None:
    _, _, overlay = next(_laid(archetype, mined_themes))
    actions = overlay.operations.actions
    guarded = [action for action in actions if any(guard.code != "invalid_transition" for guard in action.guards)]
    assert len(actions) >= 6 and len(guarded) >= 4 and len(overlay.operations.views) >= 1
    for action in actions:
        assert len(set(action.requests)) >= 2
        for request in action.requests:
            named = {"row", *(argument.name for argument in action.arguments)}
            assert set(_fields(request)) <= named, request
            stated = {a.name for a in action.arguments if a.required}
            assert stated - set(_fields(request)) <= {action.arguments[0].name}, request
            assert not request.endswith(".")


def _fields(request: str) -> list[str]:
    return [part.split("}")[0] for part in request.split("{")[1:]]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> ToolWorld:
    """The shop with all archetypes that rounds add, one upon the other."""
    tables = shop()
    choices = [OverlayChoice(archetype=a.name, host=a.hosts(tables.profile)[0][0]) for a in MORE]
    return make_world(SHOP, tables, choices[0], tmp_path_factory.mktemp("everything"), more=choices[1:])


def test_every_rule_is_met_and_broken_by_calls_in_the_sandbox(everything: ToolWorld) -> None:
    environment, writes = everything.environment, [t for t in everything.module.tools if not t.read_only]
    # Of each write, one call that works and one for each refusal: the tests' own tests ask for the rest.
    tests: dict[tuple[str, str | None], ToolTest] = {}
    for test in propose_tests(environment, everything.module, everything.frames, 0):
        tests.setdefault((test.tool, test.expect.error_code), test)
    for tool in writes:
        for code in (None, *tool.intent["refusals"]):
            assert (tool.name, code) in tests, f"{tool.name}: no call is {code or 'right'}"
    module = everything.module.model_copy(update={"tools": writes})
    named = {tool.name for tool in writes}
    with World() as runtime:
        wanted = [test for test in tests.values() if test.tool in named]
        found = judge_tools(runtime, environment, module, wanted, everything.folder / "world.db", 0.5)
    assert len(writes) >= 70
    assert [(o.tool, o.detail) for o in found.outcomes if not o.passed] == []
    assert [(r.subject, r.detail) for r in found.rejections] == []
