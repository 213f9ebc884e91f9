"""`factory bench world`: what the world runtime costs, beside the other ways to run the same tools.

All in one run, on one machine, one after the other, so that the ratios compare equal conditions. The
parts that vary with a machine's load are medians; a rate is the best over the numbers of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tasks.bench.crowd import calls_per_s, crowd
from tasks.bench.others.http_server import HttpServerPerRollout
from tasks.bench.others.in_process import InProcess
from tasks.bench.others.process_per_call import ProcessPerCall
from tasks.bench.processes import descendants, memory_mb
from tasks.bench.rollouts import roll_out
from tasks.bench.sampling import Repeat, best_rate, looping, median_ms
from tasks.bench.subject import build_bundle, read_call, write_call
from tasks.world.bundle import Bundle
from tasks.world.session import World
from tasks.world.workspace import Workspace

MEASUREMENTS = (
    "calls",
    "calls in process",
    "sessions",
    "rollouts",
    "reset",
    "sessions at once",
    "rollouts in process",
    "rollouts by a process a call",
    "rollouts by an HTTP server each",
)
"""What `measure_world` reports as it begins it, in this order."""


@dataclass(frozen=True)
class Plan:
    """How long to measure: seconds for each measurement, rounds of a rate, sessions of a crowd.

    `threads`: the numbers of threads that rates are taken with. A rollout that takes longer than
    a round is measured whole.
    """

    seconds: float = 6.0
    rounds: int = 3
    idle_sessions: int = 300
    threads: tuple[int, ...] = (1, 2)


QUICK = Plan(seconds=0.05, rounds=1, idle_sessions=6, threads=(1,))
"""Enough to see that everything works; its figures mean nothing."""


@dataclass(frozen=True)
class Rate:
    """Rollouts or sessions a second, and the number of threads with which it was best."""

    per_s: float
    threads: int


@dataclass(frozen=True)
class WorldFigures:
    """What was measured. Times are milliseconds, sizes megabytes (10^6 bytes).

    `concurrency`: number of sessions → reads a second of all together. `others` and `ratio`: way →
    its rollouts a second, and ours divided by them.
    """

    world_mb: float
    read_call_ms: float
    read_call_overhead_ms: float
    write_call_ms: float
    write_call_overhead_ms: float
    sessions_per_s: float
    rollouts_per_s: float
    rollout_threads: int
    reset_ms: float
    idle_sessions: int
    idle_memory_mb: float
    concurrency: dict[str, float]
    others: dict[str, Rate]
    ratio: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def measure_world(
    opening: AbstractContextManager[World], folder: Path, plan: Plan, begin: Callable[[str], None]
) -> WorldFigures:
    """Measure everything on the world that `opening` opens, and close it.

    `folder` (existing) gets the bundle and the copies that the other ways work on. `begin` is told each of
    MEASUREMENTS as it begins. PermissionError when the workers' memory may not be read.
    """
    bundle = build_bundle(folder / "bundle")
    with InProcess(bundle, folder, max(plan.threads)) as in_process:
        strangers = descendants(os.getpid())
        with opening as world:
            measuring = _Measuring(world, bundle, folder, plan, begin)
            calls = measuring.calls(in_process)
            sessions = measuring.sessions()
            ours = measuring.rollouts()
            reset_ms = measuring.reset()
            idle_mb, concurrency = measuring.crowds(strangers)
        others = measuring.others(in_process)
    return WorldFigures(
        world_mb=bundle.database.stat().st_size / 1e6,
        **calls,
        sessions_per_s=sessions.per_s,
        rollouts_per_s=ours.per_s,
        rollout_threads=ours.threads,
        reset_ms=reset_ms,
        idle_sessions=plan.idle_sessions,
        idle_memory_mb=idle_mb,
        concurrency=concurrency,
        others=others,
        ratio={way: ours.per_s / rate.per_s for way, rate in others.items()},
    )


@dataclass(frozen=True)
class _Measuring:
    """One method for each of MEASUREMENTS, or two."""

    world: World
    bundle: Bundle
    folder: Path
    plan: Plan
    begin: Callable[[str], None]

    def calls(self, in_process: InProcess) -> dict[str, float]:
        """Time a read and a write in a session, and the same functions in a process that has them loaded."""
        self.begin("calls")
        seconds = self.plan.seconds / 2
        with self.world.open(self.bundle, seed="calls") as session:
            read_ms = median_ms(lambda number: session.call(*read_call(number)), seconds)
            write_ms = median_ms(lambda number: session.call(*write_call(number)), seconds)
        self.begin("calls in process")
        return {
            "read_call_ms": read_ms,
            "read_call_overhead_ms": read_ms - in_process.call_ms(write=False, seconds=seconds),
            "write_call_ms": write_ms,
            "write_call_overhead_ms": write_ms - in_process.call_ms(write=True, seconds=seconds),
        }

    def sessions(self) -> Rate:
        """Open and close sessions that are not used."""
        self.begin("sessions")
        return self._best(looping(lambda: self.world.open(self.bundle, seed="opened").close()))

    def rollouts(self) -> Rate:
        """Do whole rollouts in sessions."""
        self.begin("rollouts")
        return self._best(_numbered(lambda number: roll_out(self.world, self.bundle, number)))

    def reset(self) -> float:
        """Replace a session's copy of the world by a fresh one."""
        self.begin("reset")
        used = [Workspace(self.bundle, self.folder)]

        def renew(_: int) -> None:
            used.pop().remove()
            used.append(Workspace(self.bundle, self.folder))

        taken = median_ms(renew, self.plan.seconds)
        used.pop().remove()
        return taken

    def crowds(self, strangers: set[int]) -> tuple[float, dict[str, float]]:
        """Read the memory of idle sessions and their fork server, then let some, then all of them work.

        `strangers`: processes below this one that are none of the world's.
        """
        self.begin("sessions at once")
        seconds, rounds = self.plan.seconds, self.plan.rounds
        with crowd(self.world, self.bundle, self.plan.idle_sessions) as sessions:
            idle_mb = memory_mb(descendants(os.getpid()) - strangers)
            sizes = sorted({1, 2, len(sessions)})
            return idle_mb, {str(size): calls_per_s(sessions[:size], seconds, rounds) for size in sizes}

    def others(self, in_process: InProcess) -> dict[str, Rate]:
        """Do the same rollouts the other ways."""
        self.begin("rollouts in process")
        rates = {"in_process": self._best(in_process.repeat)}
        self.begin("rollouts by a process a call")
        rates["process_per_call"] = self._best(_numbered(ProcessPerCall(self.bundle, self.folder).roll_out))
        self.begin("rollouts by an HTTP server each")
        server = HttpServerPerRollout(self.bundle, self.folder)
        return rates | {"http_server_per_rollout": self._best(_numbered(server.roll_out))}

    def _best(self, repeat: Repeat) -> Rate:
        return Rate(*best_rate(repeat, self.plan.threads, self.plan.seconds, self.plan.rounds))


def _numbered(roll_out: Callable[[int], Any]) -> Repeat:
    numbers = count()
    return looping(lambda: roll_out(next(numbers)))
