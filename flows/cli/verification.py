"""verify: prove admitted tasks again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from schemas.tasks import AgentTask, GoldRun

Proof = tuple["AgentTask", "GoldRun"]


def verify(
    tasks: Annotated[list[str] | None, typer.Argument(help="Ids of tasks or environments.", metavar="[ID]...")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All current tasks.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Replay gold runs on clean copies of their worlds and check their verdicts; exit code 1 if one differs."""
    if everything == bool(tasks):
        raise UsageError("name tasks or environments by id, or all: factory verify --all")
    settings = settings_of(home)
    failures = dict(_reprove(settings, proofs := _load(settings, tasks)))
    if as_json:
        named = [{"task_id": task_id, "detail": detail} for task_id, detail in failures.items()]
        counts = {"tasks": len(proofs), "replayed_equal": len(proofs) - len(named), "failed": len(named)}
        print_json({**counts, "failures": named})
    else:
        print(f"{len(proofs) - len(failures)} of {len(proofs)} tasks replayed equal")
        if failures:
            print_rows(("task", "what differs"), failures.items())
    if failures:
        raise typer.Exit(1)


def _load(settings: Settings, ids: list[str] | None) -> list[Proof]:
    from warehouse.published import Published
    from warehouse.rows import load_tasks

    return sorted(load_tasks(Published(settings.home), ids), key=lambda proof: (proof[0].environment_id, proof[0].id))


def _reprove(settings: Settings, proofs: list[Proof]) -> Iterator[tuple[str, str]]:
    """Yield (task id, difference) for each task that no longer proves, with progress on stderr."""
    from rich.console import Console
    from rich.progress import track

    from tasks.resources import bundle_of, sandbox_of
    from tasks.verification.replay import reprove

    bundles = {key: bundle_of(settings, key, name) for key, name in _themes(settings, proofs).items()}
    console = Console(stderr=True)
    with sandbox_of(settings) as world:
        for task, gold in track(proofs, "replaying", console=console, disable=not console.is_terminal):
            difference = reprove(world, bundles[task.environment_id], task, gold)
            if difference is not None:
                yield task.id, difference


def _themes(settings: Settings, proofs: list[Proof]) -> dict[str, str]:
    """Return environment id → theme's name for the environments of these tasks."""
    from warehouse.published import Published
    from warehouse.rows import load_environment

    published = Published(settings.home)
    ids = sorted({task.environment_id for task, _ in proofs})
    return {key: load_environment(published, key).theme_name for key in ids}
