"""Who writes a stage's work: the author that the settings ask for, with its models, and the solver beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from schemas.errors import UsageError
from schemas.models import Role
from schemas.proofs import Admission
from schemas.settings import AuthorSettings, DraftingSettings, LlmSettings, Settings, SolverSettings
from schemas.versions import PROMPTS
from tasks.arena.witness import Witness, policy_at
from tasks.authors.base import Author
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool, spool_of
from tasks.authors.llm.judge.calibration import Calibration
from tasks.authors.llm.model import ModelUnavailable
from tasks.authors.rules.author import RulesAuthor
from tasks.mining.finding import Researcher
from tasks.mining.research.loop import research
from tasks.resources import sandbox_of
from tasks.verification.synthesis import Hear, unheard
from tasks.world.bundle import Bundle
from tasks.world.session import World
from warehouse.models import save_judge_calibration, save_model_calls
from warehouse.rows import Stamp
from warehouse.store import Warehouse

BATCH = 500
"""Calls that are drained in one transaction."""
AUTHORS = "authors"
_clients: dict[tuple[str, str, bool], ModelClient] = {}
_lock = Lock()


def written_by(authors: AuthorSettings, *roles: Role) -> Any:
    """Return what a stage's output depends on in whoever fills these roles: 'rules', or the models and what bounds them."""
    written = [role for role in roles if authors.of(role) == "llm"]
    if not written:
        return "rules"
    llm = Settings().llm
    bounds = llm.model_dump(include={"mode", "temperature", "max_tokens", "turns", "drafts", "edge_calls"})
    budgets = llm.model_dump(include={"budget", "environment_budget"})  # a larger one goes on where the smaller ended
    return ["llm", PROMPTS, {role: llm.model_of(role) for role in written}, bounds, budgets]


@contextmanager
def author_for(
    authors: AuthorSettings,
    roles: tuple[Role, ...],
    warehouse: Warehouse,
    stamp: Stamp,
    drafting: DraftingSettings = DraftingSettings(),
    refresh: bool = False,
) -> Iterator[Author]:
    """Give the author of a stage in which these roles take part. Raises UsageError when its endpoint cannot be used."""
    floor = RulesAuthor(drafting)
    settings = Settings()
    with models_for(settings, authors, roles, warehouse, stamp, refresh) as models:
        yield floor if models is None else LlmAuthor(authors, floor, models, settings.llm)


@contextmanager
def models_for(
    settings: Settings,
    authors: AuthorSettings,
    roles: tuple[Role, ...],
    warehouse: Warehouse,
    stamp: Stamp,
    refresh: bool = False,
) -> Iterator[ModelClient | None]:
    """Give the run's models when one fills any of these roles; what they were asked is in the warehouse afterwards.

    `refresh` asks again where an answer is kept. Raises UsageError when the endpoint cannot be used.
    """
    if authors.of(*roles) == "rules":
        yield None
        return
    spool = spool_of(settings.home)
    try:
        yield client_of(settings.llm, spool, stamp.run_id, AUTHORS, refresh)
    except ModelUnavailable as error:
        raise UsageError(str(error)) from error
    finally:
        drain(spool, warehouse, stamp)


def witness_for(
    author: Author, authors: AuthorSettings, solver: SolverSettings, theme_id: str, world: World, bundle: Bundle
) -> Hear:
    """Return who tries an environment's tasks: the user's own policy, or the endpoint's; else nobody does."""
    if solver.policy is not None:
        return Witness(policy_at(solver.policy), world, bundle, solver).hear
    if isinstance(author, LlmAuthor) and authors.solver == "llm":
        policy, watch = author.solver(theme_id, solver)
        return Witness(policy, world, bundle, solver, watch).hear
    return unheard


def with_rubrics(
    author: Author, theme_id: str, admitted: list[Admission], warehouse: Warehouse, stamp: Stamp, afresh: bool
) -> list[Admission]:
    """Return admitted tasks, those that a model wrote with its rubrics where a judge is set that is known to be right.

    A judge that was not calibrated before, or `afresh`, is calibrated now, and the finding stored.
    """
    if not isinstance(author, LlmAuthor) or author.judged_by is None:
        return admitted
    rows = [] if afresh else [row for row in warehouse.rows("judges") if row["model"] == author.judged_by]
    known = next((Calibration.model_validate(row) for row in rows), None)
    found = author.add_rubrics(theme_id, admitted, known, stamp.seed)
    if found.calibration is not None and found.calibration != known:
        save_judge_calibration(warehouse, found.calibration, stamp)
    return found.admitted


@contextmanager
def researcher_for(settings: Settings, author: Author, theme_id: str) -> Iterator[Researcher]:
    """Give whoever searches for a theme's data: a model with a sandbox, or the loop without one."""
    if not isinstance(author, LlmAuthor) or not author.searches:
        yield research
        return
    with sandbox_of(settings) as sandbox:
        yield author.researcher(theme_id, sandbox)


def notes_on_models(run_id: str) -> list[str]:
    """Return what a run's models leave to be told: a line for each budget that was spent."""
    return [line for (run, _, _), client in _clients.items() if run == run_id for line in client.spent_budgets]


def drain(spool: Spool, warehouse: Warehouse, stamp: Stamp) -> None:
    """Store what the spool holds that the warehouse does not; a killed drain stores nothing twice."""
    if not spool.path.exists():  # no model was ever asked
        return
    while calls := spool.undrained(BATCH):
        save_model_calls(warehouse, calls.calls, calls.contributions, stamp)
        spool.mark_drained(calls)


def client_of(llm: LlmSettings, spool: Spool, run_id: str, whose: str, refresh: bool = False) -> ModelClient:
    """Return a run's one client of its authors, or of an evaluated policy (`whose` is then its id).

    All of the run's stages share its breaker, the number of requests at once, and what was probed.
    """
    with _lock:
        for key in [key for key in _clients if key[0] != run_id]:  # of earlier runs in this process
            del _clients[key]
        key = (run_id, whose, refresh)
        if key not in _clients:
            _clients[key] = ModelClient(llm, spool, run_id, refresh=refresh)
        return _clients[key]
