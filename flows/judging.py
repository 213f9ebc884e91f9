"""A judge held against what code knows, and the finding stored and published. No Prefect run: nothing to take up again."""

from __future__ import annotations

import time
import uuid

from schemas.errors import UsageError
from schemas.settings import AuthorSettings, Settings
from schemas.versions import CODE_VERSION
from tasks.authors.llm.judge.calibration import FEWEST, Calibration, calibrate
from tasks.authors.llm.judge.items import calibration_items
from tasks.authors.llm.model import BudgetSpent
from tasks.authorship import models_for
from warehouse.published import Published
from warehouse.rows import Stamp, load_tasks, save_judge_calibration, save_run, save_run_end
from warehouse.store import Warehouse

SUBJECT = "calibration"
"""What the judge's calls are counted under."""


def calibrate_judge(settings: Settings, items: int, floor: float) -> Calibration:
    """Ask the judge about `items` statements on the home's tasks; it is accepted with an agreement of at least `floor`.

    Raises UsageError for a home with too few tasks, an endpoint that cannot be used, or a budget that is spent.
    """
    proven = load_tasks(Published(settings.home))
    drawn = calibration_items([task for task, _ in proven], [gold for _, gold in proven], settings.seed, items)
    if len(drawn) < FEWEST:
        raise UsageError(
            f"{settings.home} has tasks for {len(drawn)} statements, {FEWEST} are needed. Build more: factory expand --tasks 10"
        )
    warehouse = Warehouse(settings.home)
    stamp = Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, "llm")
    with models_for(settings, AuthorSettings.all("llm"), ("judge",), warehouse, stamp) as models:
        assert models is not None
        try:
            found = calibrate(models.role("judge", SUBJECT), drawn, floor)
        except BudgetSpent as spent:
            raise UsageError(str(spent)) from spent
    save_run(warehouse, "calibrate", {"items": items, "floor": floor}, time.time(), stamp)
    save_judge_calibration(warehouse, found, stamp)
    save_run_end(warehouse, "completed", time.time(), stamp, f"agreement {found.agreement:.3f} on {found.items}")
    warehouse.publish()
    return found
