"""snapshot, diff: what training consumes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import enter_prefect_environment

if TYPE_CHECKING:
    from tasks.snapshot import Packaged
    from tasks.training.reader import Snapshot


def snapshot(
    where: Annotated[
        str | None,
        typer.Option(help="SQL condition; columns: factory sql --named snapshot_candidates.", metavar="SQL"),
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Lowest and highest difficulty: 2-4.", metavar="N-N")] = None,
    learnable_by: Annotated[
        str | None, typer.Option(help="Only what this policy passes sometimes, as it was evaluated.", metavar="SPEC")
    ] = None,
    heldout: Annotated[
        float, typer.Option(min=0.0, max=0.99, help="Share of environments' families that is held out.")
    ] = 0.1,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of a scripted policy.", metavar="N")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Export what may be trained on as an immutable folder and archive, with verifiers and a self-test."""
    from flows.cli.production import run_flow

    settings = settings_of(home)
    enter_prefect_environment(settings)
    asked = {"where": where, "levels": _levels(levels), "policy": learnable_by, "heldout": heldout, "seed": seed}
    packaged: Packaged = run_flow(settings, "snapshot", asked)
    counts = packaged.manifest.counts
    told = {"id": packaged.manifest.id, "path": str(packaged.path), "archive": str(packaged.archive)}
    told |= {"environments": counts["environments"], "tasks": counts["tasks"], "heldout": counts.get("heldout", 0)}
    told |= {"bytes": packaged.bytes, "seconds": packaged.seconds}
    if as_json:
        print_json(told)
        return
    print_rows(("what", "is"), [(name, str(value)) for name, value in told.items()])
    print(f"Test it on any machine: python {packaged.path / 'selftest.py'}")


def _levels(text: str | None) -> tuple[int, int] | None:
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
    from tasks.training.difference import difference

    folder = settings_of(home).home / "snapshots"
    found = difference(_snapshot(folder, one), _snapshot(folder, other))
    if as_json:
        print_json(found)
    else:
        rows = [(what, *(len(found[what][how]) for how in ("added", "removed", "changed"))) for what in found]
        print_rows(("what", "added", "removed", "changed"), rows)


def _snapshot(folder: Path, name: str) -> Snapshot:
    from tasks.training.reader import Snapshot

    try:
        return Snapshot(Path(name) if Path(name).is_dir() else folder / name)
    except FileNotFoundError as error:
        known = ", ".join(sorted(each.name for each in folder.glob("snap_*") if each.is_dir())) or "none"
        raise UsageError(f"{name} is no snapshot; there are: {known}. Make one: factory snapshot") from error
