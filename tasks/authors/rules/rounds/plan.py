"""The plan of a round: which kinds of additions it makes, in which order, and when it has made enough.

The first round gives a world more to do and one level more; the second joins what is known elsewhere, more
operations, their past, a log and rules. Later ones add what is left. What a guideline asks for comes first.
"""

from __future__ import annotations

from random import Random

from schemas.rounds import AdditionKind, Guideline
from schemas.themes import Source, Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.additions import Step
from tasks.authors.rules.rounds.audit import add_audit_log
from tasks.authors.rules.rounds.documents import add_documents
from tasks.authors.rules.rounds.hierarchies import add_hierarchy
from tasks.authors.rules.rounds.histories import add_history
from tasks.authors.rules.rounds.links import add_links
from tasks.authors.rules.rounds.operations import add_operations
from tasks.authors.rules.rounds.policy import add_policy
from tasks.authors.rules.rounds.related import add_related

STEPS: dict[AdditionKind, tuple[Step, ...]] = {
    "related": (add_related,),
    "operations": (add_operations,),
    "hierarchy": (add_hierarchy,),
    "links": (add_links,),
    "history": (add_history,),
    "documents": (add_documents,),
    "policy": (add_policy,),
}
FIRST: tuple[Step, ...] = (add_operations, add_hierarchy, add_links, add_documents)
SECOND: tuple[Step, ...] = (
    add_related,
    add_operations,
    add_history,
    add_audit_log,
    add_policy,
    add_documents,
)
LATER: tuple[Step, ...] = (
    add_operations,
    add_related,
    add_links,
    add_hierarchy,
    add_history,
    add_audit_log,
    add_policy,
    add_documents,
)
MOST_STEPS = 6
"""Kinds of additions of one round: what comes after has a round of its own."""
MOST_GROWTH = 0.3
"""Share of the rows that a round adds at most, but `ROOM` in any case."""
ROOM = 2500


def propose_round(world: WorldDraft, theme: Theme, number: int, guideline: Guideline, seed: int) -> Growth | None:
    """Return the larger world that round `number` (from 1) makes of a draft; None when nothing is left to add.

    Equal arguments give equal worlds. The guideline's kinds of additions come before the round's own. A step that
    would add too many rows is passed over.
    """
    most = max(int(MOST_GROWTH * _rows(world)), ROOM) + _rows(world)
    additions: tuple[str, ...] = ()
    sources: dict[str, Source] = {}
    made: list[Step] = []
    for place, step in enumerate(_steps(number, guideline)):
        if len(made) == MOST_STEPS or (step is add_links and add_hierarchy in made and number == 1):
            continue
        rng = Random(f"{theme.name} round {number} {place} {seed}")
        growth = step(world, theme, rng, guideline)
        if growth is None or _rows(growth.world) > most:
            continue
        world, additions = growth.world, (*additions, *growth.additions)
        sources |= {source.id: source for source in growth.sources}
        made.append(step)
    return Growth(world, additions, tuple(sources.values())) if additions else None


def _steps(number: int, guideline: Guideline) -> tuple[Step, ...]:
    """Return the steps of a round: those that the guideline asks for, then the round's own, each once."""
    usual = {1: FIRST, 2: SECOND}.get(number, LATER)
    asked = [step for kind in guideline.additions for step in STEPS[kind]]
    if guideline.archetypes:
        asked.append(add_operations)
    return tuple(dict.fromkeys([*asked, *usual]))


def _rows(world: WorldDraft) -> int:
    return sum(frame.height for frame in world.frames.values())
