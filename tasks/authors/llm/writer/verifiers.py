"""A model's verifier as a second witness: it must judge right and wrong attempts as the factory's own checks do.

`verify(answer, before, after)` sees the states as {table: rows}. It runs in the sandbox, over the calls of the gold run
made again; what it says is data. It never becomes a task's check.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schemas.answers import AnswerField
from schemas.tasks import TaskDraft
from tasks.authors.base import Setting
from tasks.authors.llm.writer.trials import Trial
from tasks.verification.execution import task_id
from tasks.verification.guesses import passes
from tasks.verification.mutants.answers import one_unit_off
from tasks.verification.rubrics import build_checks

_HARNESS = """

def solve(call):
    import copy, json, sqlite3

    def state():
        connection = sqlite3.connect("world.db")
        connection.row_factory = sqlite3.Row
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        rows = {name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name, in tables}
        connection.close()
        return rows

    given = json.loads(@GIVEN@)
    before = state()
    for tool, arguments in given["calls"]:
        call(tool, **arguments)
    after = state()
    verdicts = []
    for answer, changed in given["attempts"]:
        try:
            verdicts.append(bool(verify(copy.deepcopy(answer), before, after if changed else before)))
        except Exception as fault:
            verdicts.append(f"{type(fault).__name__}: {fault}"[:300])
    return {"verdicts": verdicts}
"""


@dataclass(frozen=True)
class Attempt:
    """One attempt that a verifier judges: what it is, its answer, and whether it made the gold run's changes."""

    told: str
    answer: Any
    changed: bool


def disagreement(verifier: str, draft: TaskDraft, trial: Trial, setting: Setting) -> str | None:
    """Return where a verifier judges otherwise than the factory's checks, or fails; None where it agrees throughout."""
    contract = setting.bundle.contract
    checks = build_checks(draft, trial.answer, trial.gold.diff, contract)
    attempts = list(attempts_at(draft, trial))
    verdicts = _judged(verifier, draft, trial, attempts, setting)
    if isinstance(verdicts, str):
        return verdicts
    for attempt, verdict in zip(attempts, verdicts, strict=True):
        right = passes(checks, attempt.answer, trial.gold.diff if attempt.changed else {}, contract)
        if verdict is not right:
            said = f"fails with {verdict} on" if isinstance(verdict, str) else "accepts" if verdict else "refuses"
            return f"the verifier {said} {attempt.told}, which is {'right' if right else 'wrong'}"
    return None


def attempts_at(draft: TaskDraft, trial: Trial) -> Iterator[Attempt]:
    """Yield the gold attempt, and wrong ones: no answer, each field changed, nothing done."""
    yield Attempt("the right answer", trial.answer, True)
    yield Attempt("an empty answer", {}, True)
    for field in draft.answer_fields:
        other = _another(field, trial.answer[field.name])
        yield Attempt(f"an answer with another {field.name}", trial.answer | {field.name: other}, True)
    if trial.gold.diff:
        yield Attempt("the right answer with nothing changed", trial.answer, False)


def _another(field: AnswerField, value: Any) -> Any:
    """Return a value of a field's type that is not the one given."""
    found = next(one_unit_off(field, value, random.Random(field.name)), None)
    if found is not None:
        return found[1]
    return [*value, *value] if isinstance(value, list) else f"{value} or other"


def _judged(
    verifier: str, draft: TaskDraft, trial: Trial, attempts: list[Attempt], setting: Setting
) -> list[bool | str] | str:
    """Run a verifier in the sandbox and return what it says of each attempt, or why it said nothing."""
    given = {
        "calls": [(step["tool"], step["arguments"]) for step in trial.gold.run.trace],
        "attempts": [(attempt.answer, attempt.changed) for attempt in attempts],
    }
    source = verifier + _HARNESS.replace("@GIVEN@", repr(json.dumps(given)))
    with setting.world.open(setting.bundle, task_id(setting.environment.id, draft)) as session:
        run = session.run_program(source)
    verdicts = (run.answer or {}).get("verdicts")
    if not isinstance(verdicts, list) or len(verdicts) != len(attempts):
        return f"the verifier does not run: {run.error or 'it gives no verdicts'}"
    return verdicts
