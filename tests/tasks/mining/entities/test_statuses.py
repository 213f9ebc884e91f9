"""Ends among statuses: never the first one, and what is paid may still be delivered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.mining.entities.statuses import BAD_ENDS, GOOD_ENDS, PERHAPS_ENDS, ends_of, is_end

WORDS = sorted({*GOOD_ENDS, *BAD_ENDS, *PERHAPS_ENDS, "open", "active", "in_progress"})


@pytest.mark.parametrize(
    ("statuses", "ends"),
    [
        ("open closed", "closed"),
        ("pending paid shipped delivered cancelled", "delivered cancelled"),
        ("draft in_review published archived", "published archived"),
        ("active paused", ""),
    ],
)
def test_ends(statuses: str, ends: str) -> None:
    assert ends_of(statuses.split()) == ends.split()


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True))
def test_something_is_always_open(statuses: list[str]) -> None:
    ends = ends_of(statuses)
    assert statuses[0] not in ends
    assert all(is_end(status, statuses) == (status in ends) for status in statuses)
