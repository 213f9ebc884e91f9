"""demo, expand: run the line."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.display import as_typed, print_json
from flows.cli.options import Home, Json, settings_of
from flows.cli.server import start
from schemas.errors import UsageError
from schemas.settings import AuthorName, AuthorSettings, Settings, enter_prefect_environment

if TYPE_CHECKING:
    from flows.runs import Failure, Outcome

QUERIES_TO_PASTE = (
    'factory sql "select theme_name, kind, request from current_tasks order by gold_calls desc limit 3"',
    'factory sql "select theme_name, name, description from current_tools where not read_only order by 1, 2 limit 10"',
    "factory sql --named funnel",
)
"""What `demo` ends with; a test runs each."""


@dataclass(frozen=True)
class Finished:
    """One run of the flow: its outcome, where to look at it, and how long the user waited for it."""

    outcome: Outcome
    link: str
    seconds: float


def demo(home: Home = None, as_json: Json = False) -> None:
    """Build environments, tools and tasks for all bundled themes, and show what came out."""
    settings = settings_of(home)
    finished = run_expand(settings, Order(tasks_per_environment=settings.tasks_per_environment, seed=settings.seed))
    _show(settings, finished, as_json)
    if not as_json:
        print("Ask it yourself:")
        for query in QUERIES_TO_PASTE:
            print(f"  {as_typed(query)}{f' --home {home}' if home is not None else ''}")
    end_run(finished.outcome.failures, finished.outcome.message)


def expand(
    themes: Annotated[
        str | None, typer.Option(help="Names of themes, by commas.", show_default="all there are", metavar="A,B")
    ] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="Themes at most, by name.", metavar="N")] = None,
    library: Annotated[
        Path | None,
        typer.Option(help="A folder tree of your own data instead of the bundled themes.", metavar="DIR"),
    ] = None,
    backlog: Annotated[
        bool, typer.Option("--backlog", help="Discovered themes that wait, thinnest classes first.")
    ] = False,
    tasks: Annotated[int | None, typer.Option(min=1, help="Tasks wanted for each environment.", metavar="N")] = None,
    rounds: Annotated[int | None, typer.Option(min=0, max=10, help="Rounds of complexification.", metavar="N")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of sampling and synthesis.", metavar="N")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Do everything anew, whatever was done before.")] = False,
    author: Annotated[
        AuthorName | None,
        typer.Option(help="Who fills every role: rules, or llm.", show_default="as FACTORY_AUTHORS__… say"),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Build environments, tools and tasks for some themes; a rerun continues where the last one ended."""
    settings = settings_of(home)
    order = Order(
        tasks_per_environment=settings.tasks_per_environment if tasks is None else tasks,
        seed=settings.seed if seed is None else seed,
        themes=_names(themes, library, backlog),
        n=n,
        backlog=backlog,
        rounds=rounds,
        library=None if library is None else str(_checked_library(library, settings.home)),
        refresh=refresh,
        author=author,
    )
    finished = run_expand(settings, order)
    _show(settings, finished, as_json)
    end_run(finished.outcome.failures, finished.outcome.message)


def _names(themes: str | None, library: Path | None, backlog: bool) -> list[str] | None:
    """Return the themes' names (None: all there are); UsageError for none, and beside --backlog."""
    if backlog and (themes is not None or library is not None):
        raise UsageError(
            "--backlog chooses the themes itself. Leave --themes and --library out: factory expand --backlog --n 10"
        )
    if themes is None:
        return None
    names = [name.strip() for name in themes.split(",") if name.strip()]
    if not names:
        raise UsageError("--themes names no theme. Leave it out for all there are: factory expand")
    return names


@dataclass(frozen=True)
class Order:
    """What a run of the flow is asked for: its parameters."""

    tasks_per_environment: int
    seed: int
    themes: list[str] | None = None
    n: int | None = None
    library: str | None = None
    backlog: bool = False
    rounds: int | None = None
    refresh: bool = False
    author: AuthorName | None = None


def run_expand(settings: Settings, order: Order) -> Finished:
    """Run the expand flow against the local server, started if none answers, with progress on stderr.

    Bundled themes, their packages and the policy are looked up first, so that a misspelt name costs no server.
    """
    began = time.monotonic()
    if order.library is None and not order.backlog:
        _check_sources(settings, order)
    settings.home.mkdir(parents=True, exist_ok=True)  # Prefect makes its own folder, not its parents
    enter_prefect_environment(settings)
    _check_models(settings, order)
    outcome = run_flow(settings, "expand", asdict(order), _processes(settings, order))
    return Finished(outcome, link_to(settings, outcome.run_id), time.monotonic() - began)


def run_flow(settings: Settings, name: str, parameters: dict[str, Any], processes: int = 0) -> Any:
    """Run the flow `flows.<name>.<name>` against the local server, started if none answers, with progress on stderr.

    Its task runs work in threads of this process, or in so many `processes`. Returns the data of its final state, failed
    or not; what the flow raised is raised. Prefect's environment was entered before.
    """
    start(settings)

    from flows.cli.bars import hearing_starts, showing_progress
    from flows.workers import worker_processes

    flow = getattr(import_module(f"flows.{name}"), name)
    with showing_progress() as board:
        if processes:
            runner = worker_processes(processes, board and board.start)
            state = flow.with_options(task_runner=runner)(**parameters, return_state=True)
        else:
            with hearing_starts(board) if board else nullcontext():
                state = flow(**parameters, return_state=True)
    result: Any = state.result(raise_on_failure=False)
    if isinstance(result, BaseException):
        raise result
    return result


def _processes(settings: Settings, order: Order) -> int:
    """Return in how many processes an order is worked on, as far as that can be told before its themes are known."""
    from flows.workers import processes_for

    authors = AuthorSettings.all(order.author) if order.author else settings.authors
    alone = order.n == 1 or (order.themes is not None and len(order.themes) == 1)
    return processes_for(settings, authors, 1 if alone else None)


def link_to(settings: Settings, run_id: str) -> str:
    """Return the address of a run's page."""
    return f"{settings.ui_url}/runs/flow-run/{run_id}"


def _checked_library(folder: Path, home: Path) -> Path:
    """Return the library's absolute path; UsageError when it is no folder, or would hold what the factory writes."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"the library {folder} {what}. Give a folder tree with data files: --library DIR")
    library, home = folder.resolve(), home.resolve()
    if home.is_relative_to(library) and not any(part.startswith(".") for part in home.relative_to(library).parts):
        raise UsageError(f"the home {home} lies inside the library {library}. Choose a folder outside it: --home DIR")
    return library


def _check_sources(settings: Settings, order: Order) -> None:
    """Raise UsageError for an unknown theme or a missing package."""
    from tasks.candidates import named_themes
    from tasks.mining.sources import locate

    found = named_themes(settings, order.themes, order.n)
    for theme in found.themes:
        locate(theme, found.library_of(theme))


def _check_models(settings: Settings, order: Order) -> None:
    """Raise UsageError for a policy that there is none of, or a model that no endpoint is set for."""
    if settings.solver.policy is not None:
        from tasks.arena.witness import policy_at

        policy_at(settings.solver.policy)
    authors = AuthorSettings.all(order.author) if order.author else settings.authors
    roles = [role for role in AuthorSettings.model_fields if authors.of(role) == "llm"]
    unset = [] if settings.llm.base_url else ["FACTORY_LLM__BASE_URL"]
    if any(settings.llm.model_of(role) is None for role in roles):
        unset.append("FACTORY_LLM__MODEL")
    if roles and unset:
        raise UsageError(f"author llm needs an endpoint. Set {' and '.join(unset)}, then look at it: factory doctor")
    if roles:
        from flows.cli.models import tell_forecast

        ordered = {"authors": authors, "rounds": settings.rounds if order.rounds is None else order.rounds}
        ordered |= {"tasks_per_environment": order.tasks_per_environment}
        tell_forecast(settings.model_copy(update=ordered), len(order.themes or []) or order.n)


def _show(settings: Settings, finished: Finished, as_json: bool) -> None:
    from flows.cli.outcome import print_outcome
    from warehouse.status import read_status

    outcome = finished.outcome
    if as_json:
        run = {"run_id": outcome.run_id, "link": finished.link, "seconds": round(finished.seconds, 2)}
        counts = {"built": outcome.fresh, "found": outcome.cached, "failed": len(outcome.failures)}
        print_json({**read_status(settings.home), "run": {**run, **counts, "message": outcome.message}})
        return
    print_outcome(settings.home)
    if not outcome.fresh and not outcome.failures:
        print(f"Everything was done already: {outcome.cached} results found in {finished.seconds:.1f} s.")
    else:
        print(f"{outcome.fresh} results built, {outcome.cached} found, in {finished.seconds:.1f} s.")
    for note in outcome.notes:
        print(f"Note: {note}.")
    print(f"The run: {finished.link}")


def end_run(failures: Sequence[Failure], message: str) -> None:
    """Leave with an error when something failed: 2 when the user can mend all of it, else 1."""
    if not failures:
        return
    if all(failure.usage for failure in failures):
        raise UsageError("; ".join(failure.error for failure in failures))
    print(f"factory: {message}", file=sys.stderr)
    raise typer.Exit(1)
