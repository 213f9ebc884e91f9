"""WHEN: build environments, tools and tasks for N themes. A rerun continues where the last one ended.

One flow, no subflow: a subflow costs a second each and shows nothing that a task run does not.
Stages are submitted breadth first, so that a task run never waits for one that stands behind it
in the pool. One environment's failure leaves the others' work alone; the run then ends Failed.

    discover → mine(theme) → build_tools(environment) → synthesize(environment) → publish
"""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.progress import follow
from flows.runs import Outcome, close_failed_run, name_run, open_run
from schemas.references import RefusedReference
from schemas.settings import Settings
from tasks.build_tools import build_tools
from tasks.discover import discover
from tasks.mine import mine
from tasks.publish import publish
from tasks.synthesize import synthesize

AUTHOR = "rules"


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
    tasks_per_environment: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
) -> State[Outcome]:
    """Expand themes to environments with tools and tasks: the first `n` of the named ones (None: all).

    They come from the folder `library` (an absolute path), or are those that the factory brings.
    Numbers left out come from the settings. `refresh` does everything anew, whatever was done before.
    """
    settings = Settings()
    seed = settings.seed if seed is None else seed
    wanted = settings.tasks_per_environment if tasks_per_environment is None else tasks_per_environment
    run_id = str(flow_run.get_id())
    mark: dict[str, Any] = {"run_id": run_id, "seed": seed, "author": AUTHOR}
    chosen = {"themes": themes, "n": n, "library": library}
    open_run("expand", {**chosen, "tasks_per_environment": wanted, "refresh": refresh}, **mark)

    find, dig, build, draft = (
        stage.with_options(refresh_cache=refresh) for stage in (discover, mine, build_tools, synthesize)
    )
    found = find(themes, n, library, **mark)
    refused = [theme for theme in found if isinstance(theme, RefusedReference)]
    lengths = {"walk_steps": settings.walk_steps, "minimum_calls": settings.minimum_calls}
    mined = {
        theme.name: dig.submit(theme, world_mb=settings.world_mb, **mark) for theme in found if theme not in refused
    }
    built = {name: build.submit(future, pass_rate=settings.tool_pass_rate, **mark) for name, future in mined.items()}
    drafted = {name: draft.submit(future, wanted=wanted, **lengths, **mark) for name, future in built.items()}
    outcome = follow(run_id, refused, {"mine": mined, "build_tools": built, "synthesize": drafted})

    verdict = "failed" if outcome.failures else "completed"
    publish(
        standing=outcome.standing, outcome=verdict, message=outcome.message, run_id=run_id, seed=seed, author=AUTHOR
    )
    return (Failed if outcome.failures else Completed)(message=outcome.message, data=outcome)
