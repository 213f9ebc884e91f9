"""The meter of a search: pages, bytes and seconds, and time that does not count."""

from __future__ import annotations

from tasks.mining.browsing.budget import Budget, Meter


def test_time_that_is_stopped_does_not_count() -> None:
    now = [100.0]
    meter = Meter(Budget(pages=2, bytes=10, seconds=5), earlier=1.0, clock=lambda: now[0])
    now[0] += 2
    assert meter.seconds() == 3.0
    meter.stop()
    meter.stop()
    now[0] += 60
    assert meter.seconds() == 3.0 and meter.exhausted() is None
    meter.go_on()
    meter.go_on()
    now[0] += 1
    assert meter.seconds() == 4.0 and meter.seconds_left() == 1.0
    now[0] += 1
    assert meter.exhausted() == "seconds"


def test_pages_and_bytes_end_it() -> None:
    meter = Meter(Budget(pages=2, bytes=10, seconds=5), clock=lambda: 0.0)
    meter.add(9)
    assert meter.exhausted() is None and meter.bytes_left() == 1
    meter.add(1)
    assert meter.exhausted() == "pages" and meter.bytes_left() == 0
