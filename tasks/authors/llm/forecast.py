"""The forecast: what a run over so many themes will ask of models, before it asks anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.models import ROLES, Role
from schemas.settings import Settings
from tasks.authors.llm.client.prices import Prices
from tasks.authors.llm.coder.proposals import MOST_DESIGNS
from tasks.authors.llm.judge.calibration import FEWEST
from tasks.authors.llm.judge.items import TRIED
from tasks.authors.llm.labels.classes import SAMPLES
from tasks.authors.llm.writer.requests import VERSIONS
from tasks.authors.llm.writer.rubrics import MOST_STATEMENTS

_PROMPT_TOKENS = 8000
"""Of what a conversation opens with: instructions, worked examples, and the tables or tools that it is about."""
_OBSERVATION_TOKENS = 2000
"""Of what a turn adds beside its response: an observation is cut to 6,000 characters."""


@dataclass(frozen=True)
class Forecast:
    """One role. `calls` and `tokens` (read and written) are of all themes; `dollars` is None without a price.

    `basis` says what it was worked out from: a mean of former themes, or a bound.
    """

    role: Role
    model: str | None
    calls: int
    tokens: int
    dollars: float | None
    basis: str


def forecast(
    settings: Settings, prices: Prices, history: Sequence[Mapping[str, Any]], roles: Sequence[Role], themes: int
) -> list[Forecast]:
    """Return a row for each role.

    `history`: rows of the query `model_use`. A role whose model has worked before takes its means a theme; of any other
    only a bound is known: all of its conversations, each as long as it may be.
    """
    known = {(row["role"], row["model"]): row for row in history}
    rows = []
    for role in roles:
        model = settings.llm.model_of(role)
        if used := known.get((role, model)):
            calls, tokens = round(used["calls"] * themes), round(used["tokens"] * themes)
            dollars = None if used["dollars"] is None else used["dollars"] * themes
            rows.append(Forecast(role, model, calls, tokens, dollars, f"mean of themes so far ({used['themes']})"))
        else:
            rows.append(_bound(settings, prices, role, model, themes))
    return rows


def roles_of(settings: Settings) -> list[Role]:
    """Return the roles that the settings give to a model; `tester` follows `coder`."""
    given = {role for role in ROLES if role != "tester" and settings.authors.of(role) == "llm"}
    return [role for role in ROLES if role in given or (role == "tester" and "coder" in given)]


def _bound(settings: Settings, prices: Prices, role: Role, model: str | None, themes: int) -> Forecast:
    calls = read = written = 0
    held = [(count, turns) for count, turns in _conversations(settings)[role] if count]
    for count, turns in held:
        # Each response may be asked for a second time, to be repaired.
        calls += 2 * turns * count * themes
        read += 2 * _read(settings, turns) * count * themes
        written += 2 * turns * settings.llm.max_tokens * count * themes
    dollars = None if model is None else prices.cost(model, read, written)
    told = " + ".join(f"{count} × {turns}" for count, turns in held)
    basis = f"at most, each theme: {told} turns (conversations × their length)" if held else "not asked by a run"
    return Forecast(role, model, calls, read + written, dollars, basis)


def _read(settings: Settings, turns: int) -> int:
    """Return the tokens that a conversation's turns read at most: each reads all that came before it."""
    added, most = settings.llm.max_tokens + _OBSERVATION_TOKENS, max(settings.solver.most_tokens, _PROMPT_TOKENS)
    return sum(min(_PROMPT_TOKENS + turn * added, most) for turn in range(turns))


def _conversations(settings: Settings) -> dict[Role, list[tuple[int, int]]]:
    """Return how many conversations of how many turns a role has at most for a theme."""
    llm, solver, tasks = settings.llm, settings.solver, settings.tasks_per_environment
    versions, own = 1 + settings.rounds, (llm.drafts + 1) // 2
    return {
        "research": [(1, llm.turns), (settings.rounds, 1)],
        "coder": [(versions * MOST_DESIGNS, llm.turns), (versions * (1 + settings.llm.edge_calls), 1)],
        "tester": [(versions * MOST_DESIGNS, llm.turns)],
        # Of three kinds of tasks; half of the programmatic ones are programs of its own. Then a rubric of each.
        "writer": [(own, llm.turns), (3 * llm.drafts - own, 1 + VERSIONS), (3 * llm.drafts, 1)],
        "solver": [(tasks * solver.runs, solver.turns), (tasks * solver.closed_book_runs, 1)],
        # Calibrated once; then a statement for each key and one for the keys, each on right and on wrong answers.
        "judge": [(FEWEST, 1), (3 * llm.drafts * MOST_STATEMENTS * 2 * TRIED, 1)],
        "diagnostician": [],  # asked once a policy was evaluated, not by a run that builds
        "themes": [(1, 1)],
        "taxonomy": [(SAMPLES, 1)],
    }
