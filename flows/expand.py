"""WHEN: build environments, tools and tasks for N themes. A rerun continues where the last one ended.

One flow, no subflow: a subflow costs a second each and shows nothing that a task run does not.
Stages of fifty themes are submitted breadth first, so that a task run never waits for one that stands behind it
in the pool. One environment's failure leaves the others' work alone; the run then ends Failed.

    discover → mine(theme) → build_tools(environment) → complexify(version) × rounds → synthesize(version) → publish
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from prefect import flow
from prefect.futures import PrefectFuture
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.progress import Progress, Stages
from flows.runs import Outcome, close_failed_run, name_run, open_run, themes_done
from flows.workers import new_workers, processes_for
from schemas.references import RefusedReference, ThemeReference
from schemas.rounds import Guideline
from schemas.settings import AuthorName, AuthorSettings, Settings
from tasks.authorship import notes_on_models
from tasks.build_tools import build_tools
from tasks.complexify import complexify
from tasks.discover import discover
from tasks.mine import mine
from tasks.publish import publish
from tasks.synthesize import synthesize

AT_ONCE = 50
"""Themes on the line together. Some are through it early in a long run, and the next ones find new worker processes."""
Submit = Callable[[PrefectFuture[Any]], PrefectFuture[Any]]


@flow(
    name="expand",
    flow_run_name=name_run,
    task_runner=ThreadPoolTaskRunner(max_workers=Settings().workers),
    on_failure=[close_failed_run],
    on_crashed=[close_failed_run],
)
def expand(
    themes: list[str] | None = None,
    n: int | None = None,
    library: str | None = None,
    backlog: bool = False,
    tasks_per_environment: int | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
    author: AuthorName | None = None,
) -> State[Outcome]:
    """Expand themes to environments with tools and tasks: the first `n` of the named ones (None: all).

    They come from the folder `library` (an absolute path), from the `backlog` of discovered themes as the
    planner orders it, or are those that the factory brings. Numbers left out come from the settings.
    `refresh` does everything anew, whatever was done before. `author` fills every role; left out, each as the settings say.
    """
    settings = Settings()
    seed = settings.seed if seed is None else seed
    wanted = settings.tasks_per_environment if tasks_per_environment is None else tasks_per_environment
    rounds = settings.rounds if rounds is None else rounds
    run_id = str(flow_run.get_id())
    authors = AuthorSettings.all(author) if author else settings.authors
    mark: dict[str, Any] = {"run_id": run_id, "seed": seed}
    chosen = {"themes": themes, "n": n, "library": library, "backlog": backlog, "authors": authors.model_dump()}
    asked = {**chosen, "tasks_per_environment": wanted, "rounds": rounds, "refresh": refresh}
    done = set() if refresh else themes_done("expand", asked, seed)
    open_run("expand", asked, **mark)

    found = discover.with_options(refresh_cache=refresh)(themes, n, library, backlog, **mark)
    processes = processes_for(settings, authors, sum(theme.theme_id not in done for theme in found))
    marks = {**mark, "authors": authors, "afresh": refresh}
    outcome = go_through(settings, found, wanted, rounds, refresh, marks, processes)
    outcome.notes = notes_on_models(run_id)

    verdict = "failed" if outcome.failures else "completed"
    publish(standing=outcome.standing, outcome=verdict, message=outcome.message, **mark)
    return (Failed if outcome.failures else Completed)(message=outcome.message, data=outcome)


def go_through(
    settings: Settings,
    found: Sequence[ThemeReference | RefusedReference],
    wanted: int,
    rounds: int,
    refresh: bool,
    mark: dict[str, Any],
    processes: int,
) -> Outcome:
    """Take the themes that discovery did not refuse through all stages, and return what became of all.

    They are worked on in so many worker processes; 0: in threads.
    """
    refused = [theme for theme in found if isinstance(theme, RefusedReference)]
    going = [theme for theme in found if not isinstance(theme, RefusedReference)]
    totals = dict.fromkeys(("mine", "build_tools", "synthesize"), len(going)) | {"complexify": rounds * len(going)}
    progress = Progress(Outcome(mark["run_id"], standing=[*refused]), totals, "expand")
    for first in range(0, len(going), AT_ONCE):
        with new_workers(processes):
            progress.follow(submit_line(settings, going[first : first + AT_ONCE], wanted, rounds, refresh, mark))
    return progress.outcome


def submit_line(
    settings: Settings, themes: list[ThemeReference], wanted: int, rounds: int, refresh: bool, mark: dict[str, Any]
) -> Stages:
    """Submit every stage of every theme, each waiting for the one before it."""
    dig, build, grow, draft = (
        stage.with_options(refresh_cache=refresh) for stage in (mine, build_tools, complexify, synthesize)
    )
    rate = {"pass_rate": settings.tool_pass_rate}
    line: list[tuple[str, Submit]] = [("build_tools", partial(build.submit, **rate, **mark))]
    for number in range(1, rounds + 1):
        line.append(("complexify", partial(grow.submit, number=number, guideline=Guideline(), **rate, **mark)))
    line.append(
        ("synthesize", partial(draft.submit, wanted=wanted, drafting=settings.drafting, solver=settings.solver, **mark))
    )

    size = {"world_mb": settings.world_mb}
    stages: Stages = [("mine", {theme.name: dig.submit(theme, **size, **mark) for theme in themes})]
    for stage, submit in line:
        stages.append((stage, {name: submit(future) for name, future in stages[-1][1].items()}))
    return stages
