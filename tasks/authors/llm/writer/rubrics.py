"""Rubrics: what a right answer to a task fulfils, stated field by field once its gold run has shown the answer."""

from __future__ import annotations

import json

from schemas.tasks import AgentTask, GoldRun, Statement
from tasks.authors.llm.model import Message, Model
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.writer.chains import form
from tasks.authors.llm.writer.proposals import ProposedRubric
from tasks.verification.refusals import Fault

MOST_STATEMENTS = 8
LONGEST = 2000
"""Characters of a statement: a list of a hundred values fits."""


def write_rubric(model: Model, task: AgentTask, gold: GoldRun) -> list[tuple[Statement, Fault | None]]:
    """Return the statements that a model makes of a right answer, each with what is wrong with its form.

    Raises Unusable, ModelUnavailable and BudgetSpent.
    """
    keys = [f"{field.name} ({form(field)}): {field.description}" for field in task.answer_fields]
    prompt = render(
        __package__,
        "rubric.jinja",
        request=fence(task.request, "request"),
        keys=fence("\n".join(keys), "keys of the answer"),
        answer=fence(json.dumps(gold.answer, ensure_ascii=False, indent=1, sort_keys=True), "right answer"),
    )
    messages = [Message("system", render(__package__, "rubric_system.jinja")), Message("user", prompt)]
    names = {field.name for field in task.answer_fields}
    found: list[tuple[Statement, Fault | None]] = []
    for item in model.ask(messages, ProposedRubric).items:
        statement = Statement(field=item.key.strip(), statement=" ".join(item.statement.split()))
        found.append((statement, _fault(statement, names, {each.field for each, fault in found if fault is None})))
    return found


def _fault(statement: Statement, names: set[str], stated: set[str]) -> Fault | None:
    """Return what is wrong with a statement's form: it is one too many, of no field, or does not name what it is about."""
    if len(stated) == MOST_STATEMENTS:
        return "too_many", f"{MOST_STATEMENTS} statements at most"
    if statement.field not in names | {""}:
        return "unknown_field", f"the answer has no key {statement.field[:80]!r}"
    if statement.field in stated:
        return "repeated", "an earlier statement is of the same key"
    needed = {statement.field} if statement.field else names
    if missing := sorted(name for name in needed if f'"{name}"' not in statement.statement):
        return "unnamed", f'the statement does not name "{missing[0]}"'
    if len(statement.statement) > LONGEST:
        return "too_long", f"{len(statement.statement)} characters, {LONGEST} at most"
    return None
