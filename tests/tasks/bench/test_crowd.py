"""Many sessions at once answer, and leave no open file behind."""

from __future__ import annotations

import os
import resource

from tasks.bench.crowd import calls_per_s, crowd
from tasks.world.bundle import Bundle
from tasks.world.session import World


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_crowd_works_and_goes(library: Bundle, world: World) -> None:
    limits, before = resource.getrlimit(resource.RLIMIT_NOFILE), open_files()
    with crowd(world, library, 5) as sessions:
        assert len({id(session) for session in sessions}) == 5
        assert calls_per_s(sessions, seconds=0.1, rounds=1) > 50
        assert all(session.faults == 0 for session in sessions)
        assert open_files() > before
    assert (resource.getrlimit(resource.RLIMIT_NOFILE), open_files()) == (limits, before)


def test_the_limit_of_open_files_is_raised_for_as_long_as_needed(library: Bundle, world: World) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))
    try:
        with crowd(world, library, 1):
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 200
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
