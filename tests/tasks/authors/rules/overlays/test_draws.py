"""Draws: every vocabulary that an action names gives values that its argument may have."""

from __future__ import annotations

import tomllib
from random import Random

import pytest

from tasks.authors.rules.overlays.draws import DRAWS, VOCABULARY, day_after, draw
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tests.tasks.authors.rules.overlays.shop_world import shop

START = "2024-02-28T09:00:00"


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_draws_are_equal_for_equal_seeds_and_differ_for_others(name: str) -> None:
    drawn = [draw(name, Random(f"{seed}"), START) for seed in range(40)]
    assert drawn == [draw(name, Random(f"{seed}"), START) for seed in range(40)]
    assert len(set(drawn)) >= 5


def test_what_actions_draw_fits_their_arguments() -> None:
    tables = shop()
    named = set()
    for archetype in ARCHETYPES.values():
        for host, _ in archetype.hosts(tables.profile)[:1]:
            overlay = archetype.propose(tables.profile, tables.frames, host, 0, START)
            for argument in (a for action in overlay.operations.actions for a in action.arguments if a.draws):
                named.add(argument.draws)
                for seed in range(20):
                    value = draw(str(argument.draws), Random(f"{seed}"), START)
                    assert argument.longest is None or 0 < len(value.strip()) <= argument.longest
                    assert argument.minimum is None or value >= argument.minimum
                    assert argument.maximum is None or value <= argument.maximum
    assert {"comments", "coming_days", "amounts", "review_subjects"} <= named <= set(DRAWS)


def test_vocabularies_are_sorted_lists_of_different_printable_words() -> None:
    for name, words in tomllib.loads(VOCABULARY.read_text(encoding="utf-8")).items():
        assert len(set(words)) == len(words) >= 5, name
        assert all(word.isprintable() and word == word.strip() for word in words), name


def test_days_are_counted_over_a_leap_day() -> None:
    assert [day_after(START, days) for days in (-1, 0, 1, 2)] == [
        "2024-02-27",
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
    ]
