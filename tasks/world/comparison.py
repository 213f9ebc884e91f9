"""The comparer: a jailed worker that tells how far a workspace has come from its seed (see `diff.py`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..sandbox.errors import WorkerFault
from ..sandbox.limits import Limits
from ..sandbox.pool import Worker, WorkerPool
from .bundle import FILES, Bundle
from .errors import StateUnreadable
from .spending import spent_by
from .workspace import Workspace

DIFF_GUEST = f"{__package__}.increments"
COMPARE_MEMORY_MB = 512
"""A comparison maps two databases and holds what differs, whatever tools are limited to."""


class Comparer:
    """Compares one workspace with its bundle, as often as asked. No author's code runs in its worker.

    The worker starts with the first comparison that needs one and serves the next ones too.
    """

    def __init__(self, pool: WorkerPool, limits: Limits, bundle: Bundle, workspace: Workspace) -> None:
        self._pool, self._bundle, self._workspace = pool, bundle, workspace
        self._limits = replace(limits, memory_mb=max(limits.memory_mb, COMPARE_MEMORY_MB))
        self._worker: Worker | None = None

    def difference(self) -> dict[str, Any]:
        """Return the canonical difference between the bundle's seed and the workspace; StateUnreadable if it can't be."""
        if self._workspace.is_unchanged():
            return {}
        return self._compare(copied=False)

    def verdict_difference(self) -> dict[str, Any]:
        """As `difference`, over a copy that no one else can write, by a worker that has read nothing before.

        So neither the session nor what a hostile file did to an earlier comparison reaches a verdict.
        """
        if self._workspace.is_unchanged():
            return {}
        self.close()
        try:
            return self._compare(copied=True)
        finally:
            self.close()

    def spent_s(self) -> float:
        """Return the CPU seconds of the worker that runs now."""
        return spent_by(self._worker, self._limits)

    def close(self) -> None:
        """End the worker, if there is one."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _compare(self, copied: bool) -> dict[str, Any]:
        limits = self._limits
        try:
            if self._worker is None:
                self._worker = self._start()
            payload = {"copied": copied}
            difference = self._worker.request("compare", payload, limits.program_wall_s, limits.program_output_kb)
        except WorkerFault as fault:
            self.close()
            raise StateUnreadable(f"the final state cannot be compared ({fault.code}): {fault.message}") from fault
        if not isinstance(difference, dict):  # a hostile file took the worker over
            self.close()
            raise StateUnreadable("the final state cannot be compared: the answer has another shape")
        return difference

    def _start(self) -> Worker:
        bundle, workspace = self._bundle, self._workspace
        ignored = bundle.contract.get("log_tables", [])
        options = {"seed": str(bundle.path), "final": str(workspace.path), "ignored": ignored}
        seed = [bundle.database, *([bundle.path / FILES] if bundle.files else [])]
        return self._pool.spawn(DIFF_GUEST, workspace.path, seed, self._limits, options)
