"""Programmatic tasks (paper section 5): a program shape, bound to real records and put into words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from schemas.identity import canonical_json
from schemas.tasks import TaskDraft
from tasks.authors.rules.documents.shapes import DOCUMENT_SHAPES
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.shapes_alone import compare_groups, look_up_and_sum
from tasks.authors.rules.drafts.shapes_cases import hand_over, share_out
from tasks.authors.rules.drafts.shapes_limits import spread_demand
from tasks.authors.rules.drafts.shapes_read import compare_parents, group_leaders, join_filter_aggregate
from tasks.authors.rules.drafts.shapes_write import act_on_ranking, settle_queue

Shape = Callable[[Catalog, random.Random], TaskDraft | None]

SHAPES: tuple[Shape, ...] = (
    settle_queue,
    act_on_ranking,
    join_filter_aggregate,
    share_out,
    settle_queue,
    compare_groups,
    spread_demand,
    hand_over,
    act_on_ranking,
    compare_parents,
    settle_queue,
    look_up_and_sum,
    act_on_ranking,
    group_leaders,
)
"""Shapes in the order they are drawn, again and again; those that write stand more often."""
TRIES = 5
"""Attempts at a shape before the next one's turn."""
FRUITLESS = 40
"""Turns without a draft after which nothing is left to draw."""


def propose_programmatic_tasks(catalog: Catalog, seed: int) -> Iterator[TaskDraft]:
    """Draw drafts, each from a shape and a seed of its own, until no shape fits any more; none much like another."""
    shapes = _shapes(catalog)
    turn = last = 0
    drawn: set[str] = set()
    while turn - last < FRUITLESS:
        turn += 1
        for attempt in range(TRIES):
            rng = random.Random(f"{catalog.environment.id}/programmatic/{seed}/{turn}/{attempt}")
            draft = shapes[(turn - 1) % len(shapes)](catalog, rng)
            if draft is not None and _gist(draft) not in drawn:
                drawn.add(_gist(draft))
                last = turn
                yield draft
                break


def _shapes(catalog: Catalog) -> list[Shape]:
    """Return the shapes in their order; where there are documents, every other one reads some."""
    if not catalog.environment.documents:
        return list(SHAPES)
    documents = itertools.cycle(DOCUMENT_SHAPES)
    return [each for shape in SHAPES for each in (next(documents), shape)]


def _gist(draft: TaskDraft) -> str:
    """Return what a draft is about, whatever its thresholds and wording: its shape, and its calls with their constants."""
    calls = [
        [call["tool"], {name: value["value"] for name, value in call["arguments"].items() if value["op"] == "const"}]
        for call in _calls(draft.program.model_dump(mode="json")["body"])
    ]
    return canonical_json([draft.shape, sorted(canonical_json(call) for call in calls)])


def _calls(body: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for statement in body:
        if statement["do"] == "call":
            yield statement
        for part in ("body", "then", "otherwise"):
            yield from _calls(statement.get(part, []))
