"""Measures of a request's style, in the language that it is written in, and the fault of giving steps for goals."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from schemas.tasks import AgentTask, Language, TaskDraft
from schemas.tools import Tool
from tasks.verification.style import chinese, english

MOST_STEPS = 1 / 3
"""Orders that a request may give for each call of its gold run, and one in any case; more are a list of steps, not a goal."""
_MASK = "_"
_QUOTED = re.compile(r"[“「『\"][^”」』\"]*[”」』\"]")
_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d)?)?|\d{4}年(?:\d+月(?:\d+日)?)?"
    r"|\b(?:\d\d? )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d\d?)?(?:,? \d{4})?\b"
)
_NUMBER = re.compile(
    r"[-−]?\d+(?:[.,:]\d+)*"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|first|second|third|fourth|fifth)\b|[一二两三四五六七八九十百千]+(?=[个条项名张份间位次天笔家只])",
    re.IGNORECASE,
)


def imperatives(request: str, language: Language, verbs: Collection[str] = ()) -> int:
    """Count the clauses that give an order; `verbs` are more English base forms that may open one."""
    if language == "zh":
        return chinese.count_imperatives(request)
    return english.count_imperatives(request, frozenset(verbs))


def clauses(request: str, language: Language) -> int:
    """Count the clauses of a request."""
    return chinese.count_clauses(request) if language == "zh" else english.count_clauses(request)


def skeletons(request: str, entities: Collection[str], language: Language) -> list[str]:
    """Return the sentences with quoted texts, dates, numbers and the entities masked, in lower case.

    `entities` are names from the world and the keys of the answer; longer ones are masked first.
    """
    ends = chinese.SENTENCE_END if language == "zh" else english.SENTENCE_END
    found = []
    for masked in ends.split(_QUOTED.sub(_MASK, request)):
        for entity in sorted(filter(None, entities), key=lambda text: (-len(text), text)):
            masked = re.sub(_bounded(entity), _MASK, masked, flags=re.IGNORECASE)
        masked = _NUMBER.sub(_MASK, _DATE.sub(_MASK, masked))
        masked = re.sub(rf"{_MASK}(?:[,、]? ?(?:and |or |和|或)?{_MASK})+", _MASK, masked)
        if skeleton := " ".join(masked.casefold().split()):
            found.append(skeleton)
    return found


def style_fault(task: TaskDraft | AgentTask, calls: int, tools: Sequence[Tool] = ()) -> tuple[str, str] | None:
    """Return ("steps_not_goals", detail) when a request gives too many orders for its gold calls, or None."""
    verbs = {tool.name.partition("_")[0] for tool in tools}
    orders = imperatives(task.request, task.language, verbs)
    return ("steps_not_goals", f"{orders} orders for {calls} calls") if orders > max(1, calls * MOST_STEPS) else None


def _bounded(entity: str) -> str:
    """Return a pattern for an entity that is no part of a longer word; Chinese has no bounds between words."""
    start = r"(?<!\w)" if entity[0].isascii() and entity[0].isalnum() else ""
    end = r"(?!\w)" if entity[-1].isascii() and entity[-1].isalnum() else ""
    return start + re.escape(entity) + end
