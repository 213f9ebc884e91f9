"""snapshot, diff, withdraw: what training consumes."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings, enter_prefect_environment

if TYPE_CHECKING:
    from tasks.snapshot import Packaged

WITHDRAWN_COLUMNS = ("id", "package", "version", "file", "environments", "snapshots")


def snapshot(
    where: Annotated[
        str | None,
        typer.Option(help="SQL condition; columns: factory sql --named snapshot_candidates.", metavar="SQL"),
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Lowest and highest difficulty: 2-4.", metavar="N-N")] = None,
    learnable_by: Annotated[
        str | None, typer.Option(help="Only what this policy passes sometimes; see factory collect.", metavar="SPEC")
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(help="Add this policy's passing attempts as conversations; see factory collect.", metavar="SPEC"),
    ] = None,
    heldout: Annotated[
        float, typer.Option(min=0.0, max=0.99, help="Share of environments' families that is held out.")
    ] = 0.1,
    practice: Annotated[bool, typer.Option("--practice", help="Tasks of one or two calls too.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of a scripted policy.", metavar="N")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Export what may be trained on as an immutable folder and archive, with verifiers and a self-test."""
    from flows.cli.production import run_flow

    settings = settings_of(home)
    enter_prefect_environment(settings)
    asked = {"where": where, "levels": levels_of(levels), "heldout": heldout, "seed": seed}
    asked |= {"policy": learnable_by, "teacher": teacher, "practice": practice}
    packaged: Packaged = run_flow(settings, "snapshot", asked)
    counts = packaged.manifest.counts
    told = {"id": packaged.manifest.id, "path": str(packaged.path), "archive": str(packaged.archive)}
    told |= {"environments": counts["environments"], "tasks": counts["tasks"], "heldout": counts.get("heldout", 0)}
    told |= {"demonstrations": counts.get("demonstrations", 0)} if teacher else {}
    told |= {"bytes": packaged.bytes, "seconds": packaged.seconds}
    if as_json:
        print_json(told)
        return
    print_rows(("what", "is"), [(name, str(value)) for name, value in told.items()])
    print(f"Test it on any machine: python {packaged.path / 'selftest.py'}")


def levels_of(text: str | None) -> tuple[int, int] | None:
    """Read a range of difficulties: 2-4, or 3. Raises UsageError."""
    if text is None:
        return None
    low, _, high = text.partition("-")
    if not (low.isdigit() and (high or low).isdigit()):
        raise UsageError(f"--levels {text!r} is no range of difficulties. Write: --levels 2-4")
    return int(low), int(high or low)


def diff(
    one: Annotated[str, typer.Argument(help="A snapshot: its id or folder.", metavar="A")],
    other: Annotated[str, typer.Argument(help="Another one.", metavar="B")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say what changed from one snapshot to another: tasks, environments, files of environments, code."""
    from flows.grounds import snapshot_of
    from tasks.training.difference import difference

    settings = settings_of(home)
    found = difference(snapshot_of(settings, one), snapshot_of(settings, other))
    if as_json:
        print_json(found)
    else:
        rows = [(what, *(len(found[what][how]) for how in ("added", "removed", "changed"))) for what in found]
        print_rows(("what", "added", "removed", "changed"), rows)


def withdraw(
    source: Annotated[str, typer.Argument(help="A source's id, package, file or sha256.", metavar="SOURCE")],
    reason: Annotated[str, typer.Option(help="Why, in your words.", metavar="TEXT")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Withdraw sources: what was made from them, by lineage, is in no snapshot from now on. Tells which ones hold it."""
    from warehouse.published import Published

    settings = settings_of(home)
    withdrawn = _withdraw(settings, source, reason)
    rows = [row for row in Published(settings.home).rows("withdrawals") if row["id"] in withdrawn]
    if as_json:
        print_json(rows)
        return
    print_rows(WITHDRAWN_COLUMNS, [tuple(row[name] for name in WITHDRAWN_COLUMNS) for row in rows])
    held = any(row["snapshots"] for row in rows)
    print(f"{'Snapshots above hold what was made from them. ' if held else ''}Make one without: factory snapshot")


def _withdraw(settings: Settings, source: str, reason: str) -> list[str]:
    """Store the withdrawal as a run of its own, and publish it; return the sources' ids."""
    from schemas.versions import CODE_VERSION
    from warehouse.rows import Stamp, save_run, save_run_end
    from warehouse.snapshots import withdraw
    from warehouse.store import Warehouse

    warehouse = Warehouse(settings.home)
    stamp = Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, "person")
    withdrawn = withdraw(warehouse, source, reason, stamp)
    save_run(warehouse, "withdraw", {"source": source, "reason": reason}, time.time(), stamp)
    save_run_end(warehouse, "completed", time.time(), stamp, f"{len(withdrawn)} sources withdrawn")
    warehouse.publish()
    return withdrawn
