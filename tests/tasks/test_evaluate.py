"""Which round is meant by what a user writes."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError
from tasks.evaluate import choose_round


@pytest.mark.parametrize(
    ("number", "fresh", "latest", "chosen"),
    [
        (None, False, 0, 1),
        (None, True, 0, 1),
        (None, False, 3, 3),
        (None, True, 3, 4),
        (2, False, 3, 2),
        (4, False, 3, 4),
    ],
)
def test_a_round_is_named_opened_or_the_latest(number: int | None, fresh: bool, latest: int, chosen: int) -> None:
    assert choose_round(number, fresh, latest) == chosen


@pytest.mark.parametrize(("number", "latest"), [(2, 0), (5, 3)])
def test_rounds_have_no_gaps(number: int, latest: int) -> None:
    with pytest.raises(UsageError, match=f"no round {number}: the latest is {latest}.*--fresh"):
        choose_round(number, False, latest)
