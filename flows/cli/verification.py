"""verify: prove admitted tasks again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from schemas.tasks import AgentTask, GoldRun
    from tasks.verification.reproof import Reproof

Proof = tuple["AgentTask", "GoldRun"]
TOLD = (
    ("tasks", "tasks"),
    ("replayed_equal", "gold runs that replay equal"),
    ("mutants", "wrong attempts"),
    ("killed", "… that the verifiers fail"),
    ("equivalent", "… that are right in other words"),
    ("survived", "… that pass"),
    ("heldout_mutants", "wrong attempts by operators that admission does not use"),
    ("heldout_survived", "… that pass"),
    ("variants", "right attempts in other words or by another way"),
    ("variants_passed", "… that pass"),
    ("mean_calls", "mean calls of a gold run"),
)
"""Figures of the table, each in words."""
COUNTED = (
    "mutants", "killed", "equivalent", "survived", "heldout_mutants", "heldout_survived", "variants", "variants_passed",
)  # fmt: skip
"""Counts of a `Proof` that are summed over tasks."""


def verify(
    tasks: Annotated[list[str] | None, typer.Argument(help="Ids of tasks or environments.", metavar="[ID]...")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All current tasks.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Replay gold runs, and try every verifier on wrong attempts and on right ones; exit code 1 if one is at fault."""
    if everything == bool(tasks):
        raise UsageError("name tasks or environments by id, or all: factory verify --all")
    settings = settings_of(home)
    began = time.monotonic()
    found = list(_prove(settings, _load(settings, tasks)))
    figures = _figures(found) | {"seconds": round(time.monotonic() - began, 1)}
    faults = [(reproof.task.id, fault) for reproof in found for fault in reproof.faults]
    if as_json:
        print_json({**figures, "failures": [{"task_id": task_id, "detail": detail} for task_id, detail in faults]})
    else:
        print_rows(("what", "count"), [(words, str(figures[name])) for name, words in TOLD])
        if faults:
            print_rows(("task", "what is wrong"), faults)
    if faults:
        raise typer.Exit(1)


def _figures(found: list[Reproof]) -> dict[str, Any]:
    calls = [reproof.task.gold_calls for reproof in found]
    equal = sum(reproof.difference is None for reproof in found)
    proofs = [reproof.evidence.proof() for reproof in found]
    steps, cpu_s = sum(proof.steps for proof in proofs), sum(proof.cpu_s for proof in proofs)
    return {
        "tasks": len(found),
        "replayed_equal": equal,
        "failed": len(found) - equal,
        **{name: sum(getattr(proof, name) for proof in proofs) for name in COUNTED},
        "mutant_steps": steps,
        "cpu_s": round(cpu_s, 2),
        "mutant_steps_per_cpu_s": round(steps / cpu_s) if cpu_s else 0,
        "min_calls": min(calls, default=0),
        "mean_calls": round(sum(calls) / max(1, len(calls)), 2),
        "max_calls": max(calls, default=0),
    }


def _load(settings: Settings, ids: list[str] | None) -> list[Proof]:
    from warehouse.published import Published
    from warehouse.rows import load_tasks

    return sorted(load_tasks(Published(settings.home), ids), key=lambda proof: (proof[0].environment_id, proof[0].id))


def _prove(settings: Settings, proofs: list[Proof]) -> Iterator[Reproof]:
    """Yield the new proof of each task, with progress on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    from tasks.resources import bundle_of, frames_of, sandbox_of
    from tasks.verification.reproof import prove_again
    from warehouse.published import Published
    from warehouse.rows import load_environment

    console, published = Console(stderr=True), Published(settings.home)
    bars = Progress(console=console, disable=not console.is_terminal)
    with bars, sandbox_of(settings) as world:
        bar = bars.add_task("proving again", total=len(proofs))
        for environment_id, group in groupby(proofs, key=lambda proof: proof[0].environment_id):
            environment = load_environment(published, environment_id)
            bundle = bundle_of(settings, environment_id, environment.theme_name)
            frames = frames_of(settings, environment)
            for reproof in prove_again(world, bundle, environment, frames, list(group), str(settings.seed)):
                bars.advance(bar)
                yield reproof
