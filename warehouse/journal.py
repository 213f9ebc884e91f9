"""The factory's own doings: runs, their ends, the work of stages, and what a run stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.identity import content_id
from schemas.records import StageRun
from warehouse.stamp import Stamp
from warehouse.store import Warehouse


def save_run(wh: Warehouse, flow: str, parameters: Mapping[str, Any], started_at: float, stamp: Stamp) -> None:
    """Store the start of a run (`stamp.run_id`); `started_at` in seconds since the epoch."""
    row = stamp.mark(stamp.run_id, flow=flow, parameters=dict(parameters), started_at=started_at)
    wh.merge({"runs": [row]})


def save_run_end(wh: Warehouse, outcome: str, finished_at: float, stamp: Stamp, message: str = "") -> None:
    """Store the end of a run: 'completed' or 'failed', in seconds since the epoch, and a line for people.

    Call it before publishing, or the published copy shows the run as unfinished.
    """
    row = stamp.mark(content_id("run_end", stamp.run_id), outcome=outcome, message=message, finished_at=finished_at)
    wh.merge({"run_ends": [row]})


def save_stage_run(wh: Warehouse, stage_run: StageRun, stamp: Stamp) -> None:
    """Store the interval of one stage's work in the stamp's run."""
    columns = stage_run.model_dump()
    row_id = content_id("stage_run", stamp.run_id, stage_run.model_dump(exclude={"counts", "finished_at"}))
    wh.merge({"stage_runs": [stamp.mark(row_id, **columns)]})


def save_run_environments(wh: Warehouse, environments: Mapping[str, str | None], stamp: Stamp) -> None:
    """Store which environment a run used for each theme (theme's id → its id), cached or new; None: it was refused.

    The latest such row of a theme's name decides what is current.
    """
    rows = [
        stamp.mark(
            content_id("run_environment", stamp.run_id, theme_id, environment_id),
            theme_id=theme_id,
            environment_id=environment_id,
        )
        for theme_id, environment_id in environments.items()
    ]
    wh.merge({"run_environments": rows})


def save_uses(wh: Warehouse, batch_ids: Sequence[str], stamp: Stamp) -> None:
    """Store that a run stands on these batches, its own or found done: they count from now on."""
    rows = [stamp.mark(content_id("use", stamp.run_id, batch), batch_id=batch) for batch in sorted(set(batch_ids))]
    wh.merge({"batch_uses": rows})
