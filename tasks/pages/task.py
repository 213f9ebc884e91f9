"""A task's page: what is asked, what is expected, and the gold run that proves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.answers import AnswerField
from schemas.tasks import AgentTask, Check, GoldRun
from tasks.pages.markdown import as_json, code, codes, count, fence, page, plural, quote, table, text

LONGEST_VALUE = 160
LANGUAGES = {"en": "English", "zh": "Chinese"}
ASSURANCES = {
    "self_consistent": "a reader that sees the request and the tools' schemas alone came to the same program and outcome",
    "confirmed": "independent solver runs came to the same outcome",
}


def task_page(task: AgentTask, gold: GoldRun, theme: str) -> str:
    """Return the page of one task with its gold run; `theme` is the name of its environment's theme."""
    change = "must change the state" if task.requires_change else "must leave the state as it is"
    return page(
        f"# Task {code(task.id)}",
        f"A {task.kind} task of {code(theme)} ({code(task.environment_id)}), drawn from {code(task.shape)} by "
        f"{code(task.author)}, seed {task.seed}: {plural(task.gold_calls, 'call')} of "
        f"{plural(task.unique_tools, 'tool')}; it {change}.",
        _standing(task),
        "## Request",
        quote(task.request),
        "## Expected answer",
        _answer(task.answer_fields, task.expected_answer),
        f"## Checks ({len(task.checks)})",
        "All must hold for a pass.",
        _checks(task.checks),
        f"## Gold run ({plural(len(gold.steps), 'call')})",
        _steps(gold),
        "## State change",
        changes(task.expected_change),
        "## How to verify it",
        f"`factory verify {task.id}` replays the gold run and judges it; `factory play {task.id}` lets you try it.",
    )


def _standing(task: AgentTask) -> str:
    """Tell how hard the task is, how far it is to be trusted, and what its gold run shows."""
    level = "not measured" if task.level is None else ("practice" if task.level == 0 else f"{task.level} of 5")
    asked = "" if task.level_asked is None else f" (asked for: {task.level_asked})"
    rows = [("level", f"{level}{asked}"), ("language", LANGUAGES[task.language])]
    if task.assurance:
        rows.append(("trust", ASSURANCES[task.assurance]))
    if task.traits:
        rows.append(("its gold run shows", codes(task.traits)))
    if task.disturbances:
        failing = ", ".join(f"{code(tool)} ({plural(times, 'time')})" for tool, times in task.disturbances.items())
        rows.append(("fails for a moment", failing))
    return table(("what", "is"), rows)


def as_value(value: Any) -> str:
    """Return a value as JSON, shortened."""
    return text(as_json(value), LONGEST_VALUE)


def _answer(fields: Sequence[AnswerField], expected: Mapping[str, Any]) -> str:
    if not fields:
        return "No answer is asked for; the state is judged."
    rows = [
        (code(f.name), f"{f.type} of {f.item_type}" if f.item_type else f.type, text(f.description),
         as_value(expected.get(f.name)))
        for f in fields
    ]  # fmt: skip
    return table(("field", "type", "what it is", "expected"), rows)


def _checks(checks: Sequence[Check]) -> str:
    rows = [(code(c.id), f"{c.points:g}", demand(c)) for c in checks]
    return table(("check", "points", "what it demands"), rows, ("points",))


def demand(check: Check) -> str:
    """Return a check's demand in words; the parts of its spec that say nothing are left out."""
    spec = check.spec
    if check.type == "answer_keys":
        return f"the answer has exactly {codes(spec.get('fields', ()), most=12)}"
    if check.type == "state_change":
        return "the change below is made"
    if check.type == "nothing_else":
        return "nothing else is changed"
    within = f", within {spec['tolerance']:g}" if spec.get("tolerance") else ""
    order = ", in any order" if spec.get("ordered") is False else ""
    return f"{code(spec.get('field'))} is {as_value(spec.get('expected'))}{within}{order}"


def _steps(gold: GoldRun) -> str:
    rows = [
        (str(s.index + 1), code(s.tool), "reads" if s.read_only else "**writes**", as_value(s.arguments),
         as_value(s.observation))
        for s in gold.steps
    ]  # fmt: skip
    return table(("step", "tool", "does", "arguments", "returned"), rows, ("step",))


def changes(change: Mapping[str, Any]) -> str:
    """Return a change of the state: how many rows of each table, and the rows."""
    if not change:
        return "None."
    rows = [
        (code(name), *(count(len(difference.get(kind, ()))) if isinstance(difference, Mapping) else ""
                       for kind in ("inserted", "updated", "deleted")))
        for name, difference in change.items()
    ]  # fmt: skip
    columns = ("table", "inserted", "updated", "deleted")
    return page(table(columns, rows, columns[1:]), fence(as_json(change, indent=2), "json"))
