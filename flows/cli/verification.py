"""verify: prove admitted tasks again."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from schemas.tasks import AgentTask, GoldRun
    from tasks.verification.audit import Audit

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
    ("min_calls", "fewest calls by which a task can be done"),
    ("mean_calls", "mean"),
    ("max_calls", "most"),
    ("duplicates", "tasks that repeat another"),
    ("most_common_sentence_share", "largest share of tasks with one sentence, names masked"),
    ("contaminated", "tasks that are like a public benchmark's"),
    ("self_consistent", "tasks whose request was read back"),
    ("confirmed", "tasks that solver runs confirmed"),
)
"""Figures of the table, each in words."""


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
    audit = _audit(settings, _load(settings, tasks))
    figures = audit.figures() | {"seconds": round(time.monotonic() - began, 1)}
    faults = [(each.task.id, reason, detail) for each in audit.found for reason, detail in each.faults]
    faults += [(each.subject_id, "duplicate", f"of {each.what}: {each.evidence}") for each in audit.duplicates()]
    if as_json:
        rows = [{"task_id": task_id, "reason": reason, "detail": detail} for task_id, reason, detail in faults]
        print_json({**figures, "failures": rows})
    else:
        print_rows(("what", "count"), [(words, str(figures[name])) for name, words in TOLD])
        if faults:
            print_rows(("task", "reason", "what is wrong"), faults)
    if faults:
        raise typer.Exit(1)


def _load(settings: Settings, ids: list[str] | None) -> list[Proof]:
    from warehouse.published import Published
    from warehouse.rows import load_tasks

    return sorted(load_tasks(Published(settings.home), ids), key=lambda proof: (proof[0].environment_id, proof[0].id))


def _audit(settings: Settings, proofs: list[Proof]) -> Audit:
    """Prove every task again, with progress on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    from tasks.resources import bundle_of, frames_of, sandbox_of
    from tasks.verification.audit import Audit
    from tasks.verification.reproof import prove_again
    from warehouse.published import Published
    from warehouse.rows import load_environment, load_tools

    console, published, audit = Console(stderr=True), Published(settings.home), Audit()
    bars = Progress(console=console, disable=not console.is_terminal)
    with bars, sandbox_of(settings) as world:
        bar = bars.add_task("proving again", total=len(proofs))
        for environment_id, group in groupby(proofs, key=lambda proof: proof[0].environment_id):
            environment = load_environment(published, environment_id)
            bundle = bundle_of(settings, environment_id, environment.theme_name)
            frames = frames_of(settings, environment)
            tools = load_tools(published, environment_id)
            proven = prove_again(world, bundle, environment, tools, frames, list(group), str(settings.seed))
            audit.add(environment, tools, frames, list(bars.track(proven, task_id=bar)))
    return audit
