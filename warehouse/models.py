"""What models did: their calls, what became of what they proposed, and how far a judge can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from schemas.identity import content_id
from schemas.models import Contribution, ModelCall
from warehouse.stamp import Stamp
from warehouse.store import Warehouse


def save_model_calls(
    wh: Warehouse, calls: Sequence[ModelCall], contributions: Sequence[tuple[str, str, Contribution]], stamp: Stamp
) -> None:
    """Store calls and contributions; of a contribution: its id, its run's id and itself.

    The run is the one that made them, not `stamp`'s: a killed run's are stored by a later one. What was stored
    before adds no row.
    """
    wh.merge(
        {
            "model_calls": [stamp.mark(call.id, **call.model_dump(mode="json", exclude={"id"})) for call in calls],
            "contributions": [
                stamp.mark(item_id, **{"run_id": run_id, **item.model_dump()})
                for item_id, run_id, item in contributions
            ],
        }
    )


def save_judge_calibration(wh: Warehouse, calibration: BaseModel, stamp: Stamp) -> None:
    """Store a calibration, whose fields are the table's columns; an equal one of the same run is stored once."""
    columns = calibration.model_dump(mode="json")
    wh.merge({"judge_calibrations": [stamp.mark(content_id("calibration", stamp.run_id, columns), **columns)]})
