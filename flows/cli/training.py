"""train: a policy on a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.settings import enter_prefect_environment
from schemas.training import ProfileName, Trainer


def train(
    name: Annotated[
        str | None,
        typer.Option("--snapshot", help="A snapshot's id or folder.", show_default="the latest", metavar="ID"),
    ] = None,
    trainer: Annotated[Trainer, typer.Option(help="Whose environment it runs in: make trainers.")] = "trl",
    profile: Annotated[ProfileName, typer.Option(help="tiny: minutes on two cores; paper: its settings.")] = "tiny",
    model: Annotated[
        str | None, typer.Option(help="Model to begin with, a name or a folder.", show_default="a tiny random one")
    ] = None,
    tasks: Annotated[int | None, typer.Option(min=1, help="Tasks, those with the fewest calls.", metavar="N")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps by reward.", metavar="N")] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Graph tasks are worth the share of their checks that hold.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the training.", metavar="N")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Train a policy on a snapshot: on its conversations, then by reward in its worlds. A killed one goes on."""
    from flows.cli.production import run_flow
    from flows.grounds import snapshot_of
    from tasks.training.following import python_of

    settings = settings_of(home)
    python_of(settings, trainer)
    enter_prefect_environment(settings)
    snapshot = snapshot_of(settings, name)
    where = str(Path(model).absolute()) if model and Path(model).is_dir() else model
    order = {"snapshot": str(snapshot.path), "trainer": trainer, "profile": profile, "model": where, "shared": shared}
    order |= {"tasks": tasks, "steps": steps, "seed": settings.seed if seed is None else seed}
    trained = run_flow(settings, "train", {"order": order})
    names = ("reward_first", "reward_last", "noise", "seconds")
    told = {each: trained.result[each] for each in names}
    told |= {"policy_id": trained.policy_id, "snapshot": snapshot.manifest["id"], "path": str(trained.path)}
    if as_json:
        print_json(told)
    else:
        print_rows(("what", "is"), [(each, str(value)) for each, value in told.items()])
