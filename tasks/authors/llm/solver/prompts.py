"""What a solver is told before it begins: how to work, and the request."""

from __future__ import annotations

from typing import Any, Literal

from tasks.arena.policy import Briefing
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.solver.proposals import form_of


def opening(briefing: Briefing, how: Literal["system", "recall"] = "system") -> tuple[str, str]:
    """Return the system's message, to work with tools or to recall without them, and the user's, in the task's language."""
    fields = [(field["name"], field["description"], form_of(field)) for field in briefing.answer_fields]
    return _prompt(how, briefing), _prompt("task", briefing, request=briefing.request, fields=fields)


def _prompt(name: str, briefing: Briefing, **values: Any) -> str:
    language = "zh" if briefing.language == "zh" else "en"
    return render(__package__, f"{name}_{language}.jinja", **values)
