"""Pages of the arena's flows: what a policy did, why it fails and how it evolved, as Prefect artifacts of the run."""

from __future__ import annotations

from collections.abc import Sequence

from prefect.artifacts import create_markdown_artifact

from flows.standings import Standing, compare, pools_of
from schemas.arena import Evolution
from tasks.diagnose import Diagnosed
from tasks.pages.arena import Comparison, diagnosis_page, evaluation_page, evolution_page
from tasks.pages.artifacts import artifact_key
from warehouse.published import Published


def show_evaluation(published: Published, standing: Standing, message: str) -> None:
    """Draw how a policy did in a round, by pool and class."""
    page = evaluation_page(standing.policy, standing.round, pools_of(published, standing, attempts=1), message)
    _draw("evaluation", standing.policy, f"How {standing.policy} did in round {standing.round}", page)


def show_diagnosis(policy: str, diagnosed: Diagnosed) -> None:
    """Draw why a policy fails in a round, where, and what is to be built against it."""
    page = diagnosis_page(policy, diagnosed.round, diagnosed.findings, diagnosed.guidelines)
    _draw("diagnosis", policy, f"Why {policy} fails in round {diagnosed.round}", page)


def show_evolution(published: Published, policy: str, rounds: Sequence[Evolution]) -> None:
    """Draw what rounds of evolution came to, each policy before and after side by side by class, level, kind and cause."""
    page = evolution_page([(one, _compared(published, one)) for one in rounds])
    _draw("evolution", policy, f"What the rounds of {policy} came to", page)


def _compared(published: Published, one: Evolution) -> Comparison:
    if one.after_id is None:
        return []
    return compare(
        published, *(Standing(policy_id, policy_id, one.round) for policy_id in (one.before_id, one.after_id))
    )


def _draw(kind: str, policy: str, description: str, page: str) -> None:
    create_markdown_artifact(page, key=artifact_key(kind, policy), description=description)
