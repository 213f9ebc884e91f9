"""Pruning a walk: loose reads go, what others need stays."""

from __future__ import annotations

from schemas.profiles import ColumnProfile
from schemas.programs import Call, Ref
from tasks.authors.rules.drafts.mentions import Offer, Step, prune

COLUMN = ColumnProfile(name="c", type="integer", role="measure", nullable=False, distinct=9, words="figure")


def step(*takes: int, read_only: bool = True, offers: bool = True) -> Step:
    offer = Offer("figure", "the figure", Ref(name="x"), COLUMN)
    return Step(Call(bind="x", tool="t"), "", read_only, list(takes), [offer] if offers else [])


def test_reads_with_nothing_to_offer_go_and_take_what_only_they_needed() -> None:
    steps = [step(offers=False), step(0, offers=False), step()]
    assert prune(steps, 4, 1) == [2]


def test_the_earliest_loose_reads_go_until_few_enough_are_asked() -> None:
    steps = [step(), step(), step(0), step(), step(1, read_only=False)]
    assert prune(steps, 1, 1) == [1, 3, 4]


def test_as_many_steps_as_wanted_remain() -> None:
    assert prune([step() for _ in range(9)], 1, 7) == [2, 3, 4, 5, 6, 7, 8]


def test_writes_and_their_sources_stay() -> None:
    steps = [step(offers=False), step(0, read_only=False, offers=False)]
    assert prune(steps, 0, 0) == [0, 1]
