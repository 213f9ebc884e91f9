"""Programmatic tasks (paper section 5): a program shape, bound to real records and put into words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from schemas.tasks import TaskDraft
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.shapes_read import compare_parents, group_leaders, join_filter_aggregate
from tasks.authors.rules.drafts.shapes_write import act_on_ranking, settle_queue, spread_demand

SHAPES: tuple[Callable[[Catalog, random.Random], TaskDraft | None], ...] = (
    settle_queue,
    join_filter_aggregate,
    act_on_ranking,
    compare_parents,
    spread_demand,
    group_leaders,
    settle_queue,
    act_on_ranking,
)
"""Shapes in the order they are drawn, again and again; those that write stand twice as often."""
FRUITLESS = 400
"""Attempts without a draft after which nothing is left to draw."""


def propose_programmatic_tasks(catalog: Catalog, seed: int) -> Iterator[TaskDraft]:
    """Draw drafts, each from a shape and a seed of its own, until no shape fits any more."""
    attempt = last = 0
    while attempt - last < FRUITLESS:
        rng = random.Random(f"{catalog.environment.id}/programmatic/{seed}/{attempt}")
        draft = SHAPES[attempt % len(SHAPES)](catalog, rng)
        attempt += 1
        if draft is not None:
            last = attempt
            yield draft
