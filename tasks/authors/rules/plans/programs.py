"""Programmatic plans (paper section 5): passes over rows, deeds, and figures over what they did."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.attempts import try_in_turn, try_in_vain
from tasks.authors.rules.plans.composing import Leads, compose
from tasks.authors.rules.plans.drawn import Drawn
from tasks.authors.rules.plans.groups import compare, lead_groups
from tasks.authors.rules.plans.holders import hand_over, share_out
from tasks.authors.rules.plans.queues import all_or_none, settle
from tasks.authors.rules.plans.rankings import keep, write_about
from tasks.authors.rules.plans.supplies import spread

PARTS: Leads = (
    (settle, "settle"),
    (try_in_turn, "tidy"),
    (write_about, "plan"),
    (all_or_none, "audit"),
    (spread, "restock"),
    (keep, "report"),
    (try_in_turn, "rebook"),
    (try_in_vain, "audit"),
    (compare, "budget"),
    (share_out, "handover"),
    (try_in_turn, "settle"),
    (settle, "reconcile"),
    (hand_over, "handover"),
    (lead_groups, "plan"),
)
"""Parts in the order in which they lead a plan, with the purpose that they give it."""


def draw_programmatic(catalog: Catalog, seed: int) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5, none much like another, until nothing new comes."""
    return compose(catalog, f"programmatic/{seed}", PARTS, [part for part, _ in PARTS])
