"""Rubrics: the checks of a task, generated from what its program did."""

from __future__ import annotations

from typing import Any

from schemas.tasks import Check, TaskDraft
from tasks.verification.checks import canonical_changes


def build_checks(
    draft: TaskDraft, answer: dict[str, Any], diff: dict[str, Any], contract: dict[str, Any]
) -> list[Check]:
    """Return checks of the answer's fields, of the change, and of nothing else having changed.

    Half of the 100 points are for the answer and half for the state where a change is required.
    """
    changes = canonical_changes(diff, contract)
    state_points = 50.0 if changes else 10.0
    share = (100.0 - state_points) / (len(draft.answer_fields) + 1)
    checks = [Check(id="answer_keys", type="answer_keys", points=share, spec={"fields": sorted(answer)})]
    for field in draft.answer_fields:
        spec = field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
        spec |= {"field": field.name, "expected": answer[field.name]}
        checks.append(Check(id=f"answer.{field.name}", type="answer_field", points=share, spec=spec))
    if changes:
        checks.append(Check(id="state_change", type="state_change", points=40.0, spec={"expected": changes}))
    checks.append(Check(id="nothing_else", type="nothing_else", points=10.0, spec={"expected": changes}))
    return checks
