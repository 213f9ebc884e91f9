"""CPU seconds of workers: asked of the worker itself, so that they are a figure and never a proof."""

from __future__ import annotations

import resource

from ..sandbox.errors import WorkerFault
from ..sandbox.limits import Limits
from ..sandbox.pool import Worker

SPENT = "spent"
"""The operation that answers with `spent_here`."""


def spent_here(_: None = None) -> float:
    """Return the CPU seconds of this process (in a worker the clocks of `time` stand still)."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def spent_by(worker: Worker | None, limits: Limits) -> float:
    """Return the CPU seconds that a worker says it used; 0 for one that is gone."""
    if worker is None:
        return 0.0
    try:
        spent = worker.request(SPENT, None, limits.wall_s, limits.output_kb)
    except WorkerFault:
        return 0.0
    return float(spent) if isinstance(spent, int | float) else 0.0
