"""The policy step: a document whose rules the actions enforce, which rows keep, and which calls meet and break."""

from __future__ import annotations

from random import Random

import pytest

from schemas.operations import Operations
from schemas.rounds import Guideline
from tasks.authors.base import WorldDraft
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.documents.rules import CODE
from tasks.authors.rules.rounds.policy import add_policy
from tests.tasks.authors.rules.documents.depot import DEPOT, working_world


def ruled(world: WorldDraft) -> list[tuple[str, str]]:
    """Return (rule, action) of every guard of a policy."""
    return [(g.rule, a.name) for o in world.operations for a in o.actions for g in a.guards if g.rule]


@pytest.mark.parametrize("seed", range(4))
def test_every_rule_is_a_guard_and_stands_in_the_document(seed: int) -> None:
    world = working_world()
    grown = add_policy(world, DEPOT, Random(f"{seed}"), Guideline())
    assert grown is not None and len(grown.additions) == 1
    (document,) = grown.world.documents
    rules = [fact.rule for fact in document.facts]
    assert 2 <= len(rules) <= 5 and sorted(rules, key=str) == sorted([rule for rule, _ in ruled(grown.world)], key=str)
    limits = read_content(document)["sections"][-1]["rows"]
    assert [(row["Rule"], row["Limit"]) for row in limits] == [(fact.words, fact.value) for fact in document.facts]
    guards = {g.rule: g for o in grown.world.operations for a in o.actions for g in a.guards if g.rule}
    for fact in document.facts:
        guard = guards[fact.rule]
        assert guard.code == CODE and guard.than is not None and guard.than.value == fact.value  # type: ignore[union-attr]
        assert document.title in guard.message and str(fact.value) not in guard.message
    assert not document.editable
    assert add_policy(world, DEPOT, Random(f"{seed}"), Guideline()) == grown


def test_an_archetype_gets_one_policy_only() -> None:
    grown = add_policy(working_world(), DEPOT, Random("one"), Guideline())
    assert grown is not None and add_policy(grown.world, DEPOT, Random("two"), Guideline()) is None


def test_a_world_without_operations_gets_none() -> None:
    world = working_world()
    bare = type(world)(world.profile, world.frames, world.checks, world.contract, (), (), world.clock_start)
    assert add_policy(bare, DEPOT, Random("none"), Guideline()) is None


def test_actions_without_a_rule_stay_as_they_were() -> None:
    world = working_world()
    grown = add_policy(world, DEPOT, Random("same"), Guideline())
    assert grown is not None
    named = {name for _, name in ruled(grown.world)}

    def rest(operations: tuple[Operations, ...]) -> list[object]:
        return [action for each in operations for action in each.actions if action.name not in named]

    assert rest(grown.world.operations) == rest(world.operations)
