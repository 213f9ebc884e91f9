"""Families are held out as wholes, and keep their place as the ecosystem grows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.training.splits import split_families

NAMES = st.lists(st.text(min_size=1), max_size=30)


@given(NAMES, NAMES, st.floats(0, 0.99))
def test_a_family_keeps_its_split(some: list[str], more: list[str], heldout: float) -> None:
    before, after = split_families(some, heldout), split_families(some + more, heldout)
    assert before == {family: after[family] for family in before}
    larger = split_families(some, min(0.99, heldout + 0.2))
    assert {family for family in before if before[family] == "heldout"} <= {
        family for family in larger if larger[family] == "heldout"
    }


def test_about_the_share_is_held_out() -> None:
    found = split_families((f"theme_{number}" for number in range(2000)), 0.1)
    assert 150 < sum(split == "heldout" for split in found.values()) < 250
    assert set(split_families(["one", "two"], 0.0).values()) == {"train"}
