"""A withdrawn source takes along what was made from it, in every version, and nothing else."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError
from schemas.proofs import Admission
from tests.warehouse.bakery import build_environment, build_results, build_sources, build_task, build_theme
from tests.warehouse.conftest import fill
from warehouse.rows import save_environment, save_run_environments, save_tasks, save_themes, save_tools
from warehouse.snapshots import withdraw
from warehouse.store import Published


def trained_on(warehouse) -> set[str]:
    return {row["theme_name"] for row in warehouse.rows("snapshot_candidates", policy=None)}


def test_what_was_made_from_a_source_goes_and_the_rest_stays(warehouse, stamp):
    fill(warehouse, stamp)
    fill(warehouse, stamp, "kiosk")
    assert trained_on(warehouse) == {"bakery", "kiosk"}
    first, *_ = build_sources(build_theme())
    assert withdraw(warehouse, first.id, "licence taken back", stamp) == [first.id]
    assert trained_on(warehouse) == {"kiosk"}
    (told,) = warehouse.rows("withdrawals")
    assert (told["id"], told["reason"], told["environments"], told["snapshots"]) == (
        first.id,
        "licence taken back",
        1,
        "",
    )


def test_the_same_bytes_under_another_theme_are_withdrawn_too(warehouse, stamp):
    """A file that was taken back stays taken back when a later theme is mined from it."""
    fill(warehouse, stamp)
    first, *_ = build_sources(build_theme())
    withdraw(warehouse, first.id, "licence taken back", stamp)
    fill(warehouse, stamp, "kiosk")
    theme = build_theme("stall")
    again = first.model_copy(update={"id": "source_again", "theme_id": theme.id})
    save_themes(warehouse, [theme], [again], [], stamp)
    save_environment(warehouse, build_environment(theme), [again], build_results(), stamp)
    warehouse.publish()
    found = Published(warehouse.home).sql("select distinct environment_id from withdrawn_environments").rows
    assert {row[0] for row in found} == {build_environment(build_theme()).id, build_environment(theme).id}


def test_later_versions_go_with_it(warehouse, stamp, samples):
    parent = fill(warehouse, stamp)
    child = parent.model_copy(update={"id": "environment_child", "version": 2, "parent_id": parent.id})
    save_environment(warehouse, child, [], build_results(), stamp)
    save_run_environments(warehouse, {child.theme_id: child.id}, stamp)
    save_tools(warehouse, child.id, "s", samples.tools(), samples.tests(), [], [], [], samples.measures, [], stamp)
    task, gold = build_task(child, 31)
    save_tasks(warehouse, child.id, [Admission(task, gold, samples.proof)], [], [], stamp)
    assert trained_on(warehouse) == {"bakery"}
    withdraw(warehouse, build_sources(build_theme())[0].package, "", stamp)
    assert not trained_on(warehouse)


def test_an_unknown_source_is_told(warehouse, stamp):
    with pytest.raises(UsageError, match="no source has 'nothing' as id"):
        withdraw(warehouse, "nothing", "", stamp)
