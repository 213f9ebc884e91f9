"""What a trainer's own data set, tool loop and reward make of a snapshot: the same as we do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.flows.trainers.conftest import Played

pytestmark = pytest.mark.trainers


def test_trl_plays_gold_runs_on_our_worlds(played: Played, exported: dict[str, Any]) -> None:
    found = played("trl")
    assert found["rewards"] == [1.0, 0.0] and found["schemas"]
    assert {found[kind] for kind in ("tasks", "gold", "sft", "rl")} == {exported["tasks"]}


@pytest.mark.parametrize("name", ["verl", "verifiers", "openenv"])
def test_rewards_are_ours(played: Played, name: str) -> None:
    found = played(name)
    assert found["rewards"] == found["wanted"] and set(found["wanted"].values()) == {0.0, 1.0}
