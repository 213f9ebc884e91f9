"""Many sessions at once: what they hold while idle, and what they do together."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count

from tasks.bench.sampling import looping, median_rate
from tasks.bench.subject import read_call
from tasks.world.bundle import Bundle
from tasks.world.session import Session, World

DESCRIPTORS = 256
"""Open files that the host needs besides its sessions'."""
DESCRIPTORS_PER_SESSION = 4


@contextmanager
def crowd(world: World, bundle: Bundle, size: int) -> Iterator[list[Session]]:
    """Give `size` open sessions that have answered a call each, so that they hold what a session in use holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = DESCRIPTORS + DESCRIPTORS_PER_SESSION * size
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(needed, hard), hard))
    try:
        with ExitStack() as stack:
            sessions = [stack.enter_context(world.open(bundle, seed=f"crowd {n}")) for n in range(size)]
            for number, session in enumerate(sessions):
                session.call(*read_call(number))
            yield sessions
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def calls_per_s(sessions: list[Session], seconds: float, rounds: int) -> float:
    """Return how many reads a second the sessions answer together, each driven by a thread of its own."""
    numbers = count()

    def repeat(worker: int, budget: float) -> int:
        return looping(lambda: sessions[worker].call(*read_call(next(numbers))))(worker, budget)

    return median_rate(repeat, len(sessions), seconds, rounds)
