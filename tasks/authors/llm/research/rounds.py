"""Rounds: a model says what a round is to add, among what the floor could; the floor builds it, acceptance decides.

What could be added is not asked but tried: the floor proposes a round under a guideline of each kind of addition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar, get_args

from schemas.rounds import AdditionKind, Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.llm.model import BudgetSpent, Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.authors.llm.research.proposals import RoundChoice, choice_among
from tasks.authors.rules.overlays.choice import affordances

KINDS: tuple[AdditionKind, ...] = get_args(AdditionKind)
Name = TypeVar("Name", bound=str)
Propose = Callable[[Guideline], Growth | None]
_COLUMNS, _TABLES = 12, 40
"""How much of a world is shown: columns of a table, tables."""


@dataclass(frozen=True)
class Options:
    """What a round may be given: kinds of additions with a line on what each would add, archetypes, tables to build on."""

    additions: dict[AdditionKind, str]
    archetypes: tuple[str, ...]
    tables: tuple[str, ...]

    @property
    def schema(self) -> type[RoundChoice]:
        """What the model fills in."""
        return choice_among(tuple(self.additions), self.archetypes, self.tables)

    def steer(self, guideline: Guideline, choice: RoundChoice) -> Guideline:
        """Return the guideline with the choice behind what it asks for; what is no option is left out."""
        return Guideline(
            additions=_joined(guideline.additions, choice.additions, tuple(self.additions)),
            archetypes=_joined(guideline.archetypes, choice.archetypes, self.archetypes),
            tables=_joined(guideline.tables, choice.tables, self.tables),
            reason=guideline.reason,
        )


def propose_growth(
    model: Model, world: WorldDraft, theme: Theme, number: int, guideline: Guideline, propose: Propose
) -> Growth | None:
    """Return the round that `propose` makes under the model's choice, else the one under the guideline alone.

    What the guideline asks for stays and comes first. None when nothing is left to add.
    """
    options = options_of(world, guideline, propose)
    if not options.additions:
        return propose(guideline)
    try:
        choice = model.ask(_messages(world, theme, number, guideline, options), options.schema)
    except (Unusable, BudgetSpent):
        return propose(guideline)
    steered = options.steer(guideline, choice)
    growth = propose(steered)
    _report(model, choice, number, growth)
    return growth if growth is None or steered == guideline else replace(growth, author="llm")


def options_of(world: WorldDraft, guideline: Guideline, propose: Propose) -> Options:
    """Return what the floor could add to a world now; what the guideline asks for already is among it."""
    additions: dict[AdditionKind, str] = {}
    for kind in KINDS:
        growth = propose(guideline.model_copy(update={"additions": (kind, *guideline.additions)}))
        if growth is not None and (line := _line(kind, growth)) is not None:
            additions[kind] = line
    present = {operations.archetype for operations in world.operations}
    archetypes = (found.archetype for found in affordances(world.profile) if found.archetype not in present)
    return Options(additions, tuple(archetypes), tuple(table.name for table in world.profile.tables if table.rows))


def _line(kind: str, growth: Growth) -> str | None:
    return next((line for line in growth.additions if line.startswith(f"{kind}: ")), None)


def _joined(first: tuple[Name, ...], chosen: list[str], options: tuple[Name, ...]) -> tuple[Name, ...]:
    return tuple(dict.fromkeys([*first, *(option for name in chosen for option in options if option == name)]))


def _report(model: Model, choice: RoundChoice, number: int, growth: Growth | None) -> None:
    """Report what became of each kind of addition that the model chose."""
    for kind in dict.fromkeys(choice.additions):
        line = None if growth is None else _line(kind, growth)
        name = f"round {number}: {kind}"[:80]
        if line is None:
            report(model, "round", name, "plan", "nothing of this kind was added")
        else:
            report(model, "round", name, detail=line)


def _messages(world: WorldDraft, theme: Theme, number: int, guideline: Guideline, options: Options) -> list[Message]:
    tables = [
        f"{table.name} ({table.kind}, {table.rows} rows): {', '.join(c.name for c in table.columns[:_COLUMNS])}"
        for table in world.profile.tables[:_TABLES]
    ]
    there = ", ".join(operations.archetype for operations in world.operations) or "none"
    text = render(
        __package__,
        "round.jinja",
        number=number,
        world=fence("\n".join([theme.title, theme.description, *tables, f"Operations: {there}"]), "world"),
        guideline=fence(guideline.reason, "guideline") if guideline.reason else "",
        options=fence("\n".join(f"{k} -> {line}" for k, line in options.additions.items()), "what could be added"),
        archetypes=options.archetypes,
    )
    return [Message("system", render(__package__, "round_system.jinja")), Message("user", text)]
