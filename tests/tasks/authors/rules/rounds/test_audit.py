"""The audit log: every action writes it, a row that may go is named without a reference, new operations join in."""

from pathlib import Path
from random import Random

from schemas.operations import Fixed, Insert, Remove
from schemas.rounds import Guideline
from tasks.authors.rules.rounds.audit import add_audit_log, log_of
from tasks.authors.rules.rounds.lifecycles import every_action, removable_tables
from tasks.authors.rules.rounds.operations import add_operations
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded

NOTHING = Guideline()


def entries(action, log: str) -> list[Insert]:
    return [effect for effect in action.effects if isinstance(effect, Insert) and effect.table == log]


def test_every_action_is_logged_once(tmp_path: Path) -> None:
    growth = add_audit_log(bundled("music_store"), THEME, Random(0), NOTHING)
    assert growth is not None
    world = growth.world
    log = log_of(world)
    assert log is not None and log.name == "audit_entries"
    for _, action in every_action(world):
        (entry,) = entries(action, log.name)
        assert entry.values["action"] == Fixed(value=action.name.replace("_", " "))
    assert log.name in world.contract.writable and log.name not in world.contract.log_tables
    assert set(world.frames[log.name]["action"]) <= set(log.column("action").categories)
    assert world.frames[log.name]["recorded_at"].max() < world.clock_start
    loaded(world, tmp_path).close()
    assert add_audit_log(world, THEME, Random(0), NOTHING) is None


def test_later_operations_are_logged_too(tmp_path: Path) -> None:
    logged = add_audit_log(bundled("fuel_economy"), THEME, Random(0), NOTHING)
    assert logged is not None
    growth = add_operations(logged.world, THEME, Random(0), NOTHING)
    assert growth is not None
    world = growth.world
    log = log_of(world)
    assert log is not None and len(world.operations) == 2
    assert all(len(entries(action, log.name)) == 1 for _, action in every_action(world))
    assert len([table for table in world.profile.tables if table.name == log.name]) == 1
    loaded(world, tmp_path).close()


def test_a_row_that_may_be_removed_is_not_referred_to(tmp_path: Path) -> None:
    world = bundled("fuel_economy")
    laid = add_operations(world, THEME, Random(0), Guideline(archetypes=("ratings",)))
    assert laid is not None and removable_tables(laid.world)
    logged = add_audit_log(laid.world, THEME, Random(0), NOTHING)
    assert logged is not None
    log = log_of(logged.world)
    assert log is not None
    assert not {foreign.to_table for foreign in log.foreign_keys} & removable_tables(logged.world)
    for _, action in every_action(logged.world):
        kinds = [type(effect) for effect in action.effects]
        if Remove in kinds:
            assert isinstance(action.effects[kinds.index(Remove) - 1], Insert)
    loaded(logged.world, tmp_path).close()


def test_there_is_nothing_to_log_without_operations() -> None:
    assert add_audit_log(draft(), THEME, Random(0), NOTHING) is None
