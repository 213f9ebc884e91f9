"""Plans that need a document of the workspace: more than half by a rule of a policy, filled up with parts over rows."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.composing import Leads, compose
from tasks.authors.rules.plans.documents_entries import check_register, follow_list, recount_report, weigh_list
from tasks.authors.rules.plans.documents_settings import hold_to_limit, run_query
from tasks.authors.rules.plans.drawn import Drawn
from tasks.authors.rules.plans.policies import follow_policy
from tasks.authors.rules.plans.programs import PARTS

LEADS: Leads = (
    (follow_policy, "settle"),
    (hold_to_limit, "audit"),
    (follow_policy, "tidy"),
    (check_register, "reconcile"),
    (follow_policy, "audit"),
    (follow_policy, "handover"),
    (follow_list, "plan"),
    (follow_policy, "settle"),
    (run_query, "report"),
    (follow_policy, "plan"),
    (follow_policy, "tidy"),
    (recount_report, "reconcile"),
    (follow_policy, "audit"),
    (weigh_list, "budget"),
    (follow_policy, "handover"),
)
"""Parts in the order in which they lead a plan, with the purpose that they give it."""


def draw_documents(catalog: Catalog, seed: int) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5 in turn, each led by a part that needs a document, until nothing new comes."""
    return compose(catalog, f"documents/{seed}", LEADS, [part for part, _ in (*PARTS, *LEADS)])
