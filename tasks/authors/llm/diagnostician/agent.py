"""The diagnostician: a ReAct loop that asks the warehouse why a policy fails; what it claims is counted again by code."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.authors.llm.diagnostician.claims import examine
from tasks.authors.llm.diagnostician.diagnosis import Diagnosis, RefusedClaim, count_weak
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.diagnostician.proposals import ProposedDiagnosis
from tasks.authors.llm.diagnostician.tools import tools_over
from tasks.authors.llm.model import Model
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report

MOST_LISTED = 20
"""Weak environments that a model is told of, the weakest first."""


def diagnose(model: Model, evidence: Evidence, turns: int) -> Diagnosis:
    """Return where a policy fails by the program's counts, with those of a model's causes that the warehouse bears out.

    A refused claim goes back to the model with its reason while turns are left; of all that it finished with, what has
    most claims that stand is kept, and every refusal is reported. Without turns, budget or a usable answer it is the
    diagnosis by counts alone. Raises ModelUnavailable.
    """
    attempts = evidence.attempts()
    floor = count_weak(evidence.policy_id, attempts)
    if not floor.weak:
        return floor
    examined: list[Diagnosis] = []

    def accept(proposed: ProposedDiagnosis) -> str | None:
        examined.append(examine(proposed, floor, attempts, evidence))
        return _objection(examined[-1].refused)

    tools = tools_over(evidence)
    system = render(__package__, "system.jinja", tools=[tool.spec.name for tool in tools])
    task = render(__package__, "task.jinja", diagnosis=floor, weak=floor.weak[:MOST_LISTED])
    episode = react(model, system, task, tools, ProposedDiagnosis, turns=turns, accept=accept)
    if episode.ended == "unusable":
        report(model, "claim", "diagnosis", "unusable", episode.detail)
    diagnosis = _best(examined, floor)
    _report_claims(model, diagnosis)
    return diagnosis


def _objection(refused: Iterable[RefusedClaim]) -> str | None:
    lines = [f"{one.environment_id}: {one.statement} {one.reason}: {one.detail}" for one in refused]
    return "\n".join(lines) or None


def _best(examined: list[Diagnosis], floor: Diagnosis) -> Diagnosis:
    """Return the last of those with most claims that stand, with every claim that was refused on the way."""
    best = max(reversed(examined), key=lambda one: len(one.claims), default=floor)
    refused = dict.fromkeys(claim for one in examined for claim in one.refused)
    return best.model_copy(update={"refused": tuple(refused)})


def _report_claims(model: Model, diagnosis: Diagnosis) -> None:
    for claim in diagnosis.claims:
        report(model, "claim", f"{claim.environment_id}: {claim.statement}")
    for refused in diagnosis.refused:
        report(model, "claim", f"{refused.environment_id}: {refused.statement}", refused.reason, refused.detail)
