"""Seats: how many of which class, the same for a seed, kept when others come."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from schemas.arena import Seat
from tasks.arena.sampling import draw_seats

CLASSES = {"music": 1, "sports": 2, "travel": 5, "weather": 14}
FAMILIES = [(f"{level1}_{number}", level1) for level1, size in CLASSES.items() for number in range(size)]


def roles(seats: list[Seat]) -> dict[str, Counter[str]]:
    return {level1: Counter(seat.role for seat in seats if seat.level1 == level1) for level1 in CLASSES}


def test_as_many_of_each_class_as_asked_for_at_most_half_and_one_stays_open() -> None:
    found = roles(draw_seats(FAMILIES, per_class=5, holdout_share=0.1, seed=0))
    assert {level1: count["arena"] for level1, count in found.items()} == {
        "music": 0, "sports": 1, "travel": 2, "weather": 5
    }  # fmt: skip
    assert sum(count["holdout"] for count in found.values()) == 3, "a tenth of 22 families, rounded up"
    assert found["music"]["holdout"] == found["sports"]["holdout"] == 0, "one of each class stays open"
    assert found["travel"]["holdout"] >= 1 and found["weather"]["holdout"] >= 1, "spread over the classes"


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_roles_are_disjoint_and_a_large_share_leaves_one_open(share: float) -> None:
    seats = draw_seats(FAMILIES, 5, share, seed=3)
    assert len({seat.family for seat in seats}) == len(seats)
    for level1, count in roles(seats).items():
        assert count.total() <= max(0, CLASSES[level1] - 1)
    assert (share > 0) == any(seat.role == "holdout" for seat in seats)


def test_a_seed_draws_the_same_whatever_the_order_and_another_one_others() -> None:
    shuffled = FAMILIES.copy()
    random.Random(0).shuffle(shuffled)
    by_family = {seat.family: seat for seat in draw_seats(FAMILIES, 3, 0.2, seed=1)}
    assert {seat.family: seat for seat in draw_seats(shuffled, 3, 0.2, seed=1)} == by_family
    assert {seat.family: seat for seat in draw_seats(FAMILIES, 3, 0.2, seed=2)} != by_family


def test_a_family_keeps_its_seat_when_others_come() -> None:
    choice = random.Random("families come")
    for _ in range(20):
        order = choice.sample(FAMILIES, len(FAMILIES))
        seats: list[Seat] = []
        for known in range(0, len(order) + 1, 3):
            before, seats = seats, draw_seats(order[:known], 5, 0.15, seed=0, seated=seats)
            assert seats[: len(before)] == before
            for count in roles(seats).values():
                assert count["arena"] <= 5


def test_what_a_snapshot_holds_is_drawn_for_nothing() -> None:
    exported = [Seat(family=f"weather_{number}", role="open", level1="weather") for number in range(10)]
    seats = draw_seats(FAMILIES, 5, 0.5, seed=0, seated=exported)
    assert seats[:10] == exported
    drawn = {seat.family for seat in seats[10:] if seat.level1 == "weather"}
    assert drawn == {f"weather_{number}" for number in range(10, 14)}, "the open ones are left: all others may sit"


def test_nobody_sits_where_nobody_is() -> None:
    assert draw_seats([], 5, 0.1, seed=0) == []
    assert draw_seats([("alone", "music")], 5, 0.1, seed=0) == []
