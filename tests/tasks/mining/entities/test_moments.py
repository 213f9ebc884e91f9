"""Moments of a row stand in their order, within two years before the fixed day."""

from datetime import datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tasks.mining.entities.moments import LAST_DAY, SPAN_DAYS, birth_date, draw_moments, stamp

END = datetime.combine(LAST_DAY, datetime.max.time())
MOMENTS = st.datetimes(END - timedelta(days=SPAN_DAYS - 1), END - timedelta(days=1))


@given(st.integers(), st.none() | MOMENTS, st.none() | MOMENTS)
def test_moments_stand_in_their_order(seed: int, floor: datetime | None, ceiling: datetime | None) -> None:
    drawn = draw_moments(Random(seed), floor, ceiling)
    assert (floor or drawn.created) <= drawn.created <= drawn.closed <= drawn.updated <= END
    assert drawn.start < drawn.end
    assert drawn.created < drawn.due
    assert drawn.created >= END - timedelta(days=SPAN_DAYS + 1)
    if ceiling and (floor is None or floor <= ceiling):
        assert drawn.created <= ceiling
    assert len(stamp(drawn.created)) == 19


@given(st.integers())
def test_nobody_is_a_child(seed: int) -> None:
    assert "1949" <= birth_date(Random(seed))[:4] <= "2007"
