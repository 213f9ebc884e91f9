"""review: a person's word on tasks that may be wrong themselves."""

from __future__ import annotations

import time
import uuid
from typing import Annotated, Literal

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings

QUEUE_COLUMNS = ("doubt", "task_id", "theme_name", "pool", "level", "why", "request")


def review(
    task: Annotated[
        str | None, typer.Argument(help="Id of the task.", show_default="list what to look at first", metavar="TASK")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="The task is right as it is.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="It is wrong: never train or evaluate on it.")] = False,
    reason: Annotated[str, typer.Option(help="Why, in your words.", metavar="TEXT")] = "",
    most: Annotated[int, typer.Option(min=1, help="How many to list.", metavar="N")] = 10,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List the most doubtful tasks with why, or say of one whether it stands: your latest word counts."""
    settings = settings_of(home)
    if task is None:
        if accept or reject or reason:
            raise UsageError("say of which task: factory review TASK --accept, or: factory review TASK --reject")
        _show_queue(settings, most, as_json)
    elif accept == reject:
        raise UsageError(f"look at it: factory show {task}. Then say one: factory review {task} --accept, or --reject")
    else:
        _store(settings, task, "accepted" if accept else "rejected", reason)
        print(f"{task} is {'accepted' if accept else 'rejected'}.")


def _show_queue(settings: Settings, most: int, as_json: bool) -> None:
    from warehouse.published import Published

    rows = Published(settings.home).rows("review_queue", most=most)
    if as_json:
        print_json(rows)
    elif not rows:
        print("No task is in doubt. Let policies try some: factory evaluate --policy noisy:0.15")
    else:
        print_rows(QUEUE_COLUMNS, [tuple(row[name] for name in QUEUE_COLUMNS) for row in rows])
        print(f"Look at one: factory show {rows[0]['task_id']}")


def _store(settings: Settings, task: str, verdict: Literal["accepted", "rejected"], reason: str) -> None:
    from schemas.versions import CODE_VERSION
    from warehouse.rows import Stamp, save_review, save_run, save_run_end
    from warehouse.store import Warehouse

    warehouse = Warehouse(settings.home)
    stamp = Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, "person")
    save_review(warehouse, task, verdict, reason, stamp)
    save_run(warehouse, "review", {"task": task, "verdict": verdict}, time.time(), stamp)
    save_run_end(warehouse, "completed", time.time(), stamp, f"{task} is {verdict}")
    warehouse.publish()
