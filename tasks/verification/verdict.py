"""Verdicts over a live session: what was asked for is there, and nothing else changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.verification.checks import evaluate
from tasks.world.errors import StateUnreadable
from tasks.world.session import Session


def judge(session: Session, checks: Sequence[dict[str, Any]], answer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judge an attempt by its final state and its answer; return the verdict (as `checks.evaluate`) and the state's difference.

    The state is read once, by a fresh worker from a copy, never where the agent's tools ran (`diff.py`);
    checks and answer stay in this process. A state that cannot be read is an "error": tools broke
    their database, which is not the agent's failure; its difference is {}. The session stays open.
    """
    try:
        difference = session.diff(copied=True)
    except StateUnreadable as error:
        return {"outcome": "error", "results": [], "detail": str(error)}, {}
    return evaluate(list(checks), answer, difference, session.bundle.contract), difference
