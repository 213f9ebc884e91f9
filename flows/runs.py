"""A run's own name, start, outcome and end, apart from the flow's calls and loops."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect.runtime import flow_run
from prefect.states import State

from schemas.errors import UsageError
from schemas.references import Reference, RefusedReference
from schemas.settings import Settings
from schemas.versions import CODE_VERSION
from warehouse.rows import Stamp, save_run, save_run_end
from warehouse.store import Warehouse

MOST_NAMED = 4
"""Themes that a run's name lists."""


def name_run() -> str:
    """Name a flow run after what it builds: 'expand baseball, music_store, 20 tasks each'."""
    parameters = flow_run.get_parameters()
    names, n, library = (parameters.get(name) for name in ("themes", "n", "library"))
    themes = ", ".join(names[:MOST_NAMED]) if names else f"the first {n} themes" if n else "all themes"
    more = f" and {len(names) - MOST_NAMED} more" if names and len(names) > MOST_NAMED else ""
    wanted, author = (parameters.get(name) for name in ("tasks_per_environment", "author"))
    return (
        f"expand {themes}{more}"
        + (f" of {Path(library).name}" if library else "")
        + (f", {wanted} tasks each" if wanted else "")
        + (f", author {author}" if author else "")
        + (", afresh" if parameters.get("refresh") else "")
    )


def open_run(flow: str, parameters: dict[str, Any], run_id: str, seed: int) -> None:
    """Store that a run began now, after clearing results that a killed run left half-written."""
    clear_broken_results(Settings().results_dir)
    stamp = Stamp(run_id, CODE_VERSION, seed)
    save_run(Warehouse(Settings().home), flow, parameters, time.time(), stamp)


def themes_done(flow: str, parameters: dict[str, Any], seed: int) -> set[str]:
    """Return the ids of the themes that the flow's latest completed run came to the end of, if it was one of these parameters.

    What was done is still looked up theme by theme; this only tells how much work to expect.
    """
    rows = Warehouse(Settings().home).rows("themes_done", flow=flow)
    same = [row for row in rows if row["seed"] == seed and json.loads(row["parameters"]) == parameters]
    return {row["theme_id"] for row in same}


def clear_broken_results(folder: Path) -> None:
    """Remove cached results that are no JSON: Prefect opens the file, then writes it.

    What goes is only ever work to be done again, also when another run is writing it right now.
    """
    for result in sorted(folder.glob("*")) if folder.is_dir() else []:
        try:
            json.loads(result.read_bytes())
        except ValueError:
            result.unlink(missing_ok=True)
        except FileNotFoundError:
            continue  # another run cleared it


def close_failed_run(flow: Any, run: Any, state: Any) -> None:
    """Store the end of a run that never came to publishing; one that did has its end already."""
    seed = (run.parameters or {}).get("seed")
    stamp = Stamp(str(run.id), CODE_VERSION, Settings().seed if seed is None else seed)
    save_run_end(Warehouse(Settings().home), "failed", time.time(), stamp, state.message or "")


@dataclass(frozen=True)
class Failure:
    """One task run that raised; `usage` when the user can mend it."""

    what: str
    error: str
    usage: bool


@dataclass
class Outcome:
    """What became of a run's task runs.

    `standing` are their references in the order in which they came, those of refused themes once.
    `blocked` ones never started since what they needed had failed. `notes` are to be told beside that.
    """

    run_id: str
    standing: list[Reference] = field(default_factory=list)
    fresh: int = 0
    cached: int = 0
    blocked: int = 0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, state: State[Any]) -> Reference | None:
        """Count a task run that ended and return what it gave; None when it failed or never started."""
        if state.is_completed():
            self.cached += state.name == "Cached"
            self.fresh += state.name != "Cached"
            reference: Reference = state.result()
            if reference not in self.standing:
                self.standing.append(reference)
            return reference
        if state.is_pending():
            self.blocked += 1
            return None
        error = state.result(raise_on_failure=False)
        usage = isinstance(error, UsageError)
        self.failures.append(Failure(what, str(error) if usage else f"{type(error).__name__}: {error}", usage))
        return None

    @property
    def refused(self) -> list[RefusedReference]:
        """The themes that a stage refused."""
        return [reference for reference in self.standing if isinstance(reference, RefusedReference)]

    @property
    def message(self) -> str:
        """One line for the flow's final state."""
        return "; ".join([self._counts, *self.notes])

    @property
    def _counts(self) -> str:
        refused = f"; {len(self.refused)} theme{'s' * (len(self.refused) > 1)} refused" if self.refused else ""
        if self.failures:
            reasons = "; ".join(f"{failure.what}: {failure.error}" for failure in self.failures)
            counts = f"{len(self.failures)} failed, {self.blocked} never started, {self.fresh + self.cached} stand"
            return f"{counts}{refused}. {reasons}"
        if not self.fresh:
            return f"everything was done already, {self.cached} results found{refused}"
        return f"{self.fresh} built, {self.cached} found{refused}"
