"""What a judge is held against: statements about answers, whose truth the tasks' own checks decide.

A check becomes a statement, to calibrate a judge; or a writer's statement stands for a check. Either is held against the
proven answer, the same answer in other words, and answers that are wrong by one field; what the check says is the truth.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from schemas.answers import AnswerField
from schemas.identity import content_id
from schemas.tasks import AgentTask, Check, GoldRun, Statement
from tasks.verification.checks import evaluate_changes
from tasks.verification.mutants.answers import CHANGES, EXTRA

Answer = dict[str, Any]
TRIED = 2
"""Right answers, and wrong ones, on which a writer's statement is tried."""


@dataclass(frozen=True)
class CalibrationItem:
    """A statement, the evidence on it (name → text), and whether it holds."""

    id: str
    statement: str
    evidence: Mapping[str, str]
    truth: bool


def calibration_items(tasks: Sequence[AgentTask], golds: Sequence[GoldRun], seed: int, n: int) -> list[CalibrationItem]:
    """Build `n` items, or as many as tasks with a gold run give, half of them true, in a seeded order.

    No statement is drawn again for one truth before each was drawn once.
    """
    answers = {gold.task_id: gold.answer for gold in golds}
    proven = sorted((task for task in tasks if task.id in answers), key=lambda task: task.id)
    rng = random.Random(f"{seed}/calibration")
    groups: defaultdict[str, dict[str, CalibrationItem]] = defaultdict(dict)
    for task in proven:
        for item in _items(task, answers, rng):
            groups[item.statement].setdefault(item.id, item)
    drawn = [_in_turn(groups.values(), truth, rng) for truth in (True, False)]
    chosen = [item for items in drawn for item in items[: min(n // 2, *map(len, drawn))]]
    rng.shuffle(chosen)
    return chosen


def trial_items(task: AgentTask, golds: Sequence[GoldRun], statement: Statement, seed: int) -> list[CalibrationItem]:
    """Build items on which a judge that reads a writer's statement must decide as the code check of its field.

    TRIED of them hold, the proven answer first, and as many do not, fewer where there are none; `golds` are of this and of
    other tasks, whose answers lend values. Raises KeyError for a field that the task has no check of.
    """
    answers = {gold.task_id: gold.answer for gold in golds}
    rng = random.Random(f"{seed}/{task.id}/{statement.field}")
    checks = {check.id: check for check in task.checks}
    check = checks[f"answer.{statement.field}" if statement.field else "answer_keys"]
    lacking = {name: value for name, value in answers[task.id].items() if name != statement.field}
    given = [*_given(task, answers, rng), *([lacking] if statement.field else [])]
    items = [_item(statement.statement, check, answer) for answer in given]
    right, wrong = ([item for item in items if item.truth is truth] for truth in (True, False))
    others = rng.sample(right[1:], min(TRIED - 1, len(right) - 1))
    return [right[0], *others, *rng.sample(wrong, min(TRIED, len(wrong)))]


def _in_turn(groups: Iterable[Mapping[str, CalibrationItem]], truth: bool, rng: random.Random) -> list[CalibrationItem]:
    """Return all items of one truth in a drawn order: one of each group, then a second one of each, and so on."""
    of_truth = [[item for item in group.values() if item.truth is truth] for group in groups]
    shuffled = [rng.sample(group, len(group)) for group in rng.sample(of_truth, len(of_truth))]
    return [item for layer in zip_longest(*shuffled) for item in layer if item is not None]


def _items(task: AgentTask, answers: Mapping[str, Answer], rng: random.Random) -> Iterator[CalibrationItem]:
    """Yield the statement of each check of the answer with each answer that is tried."""
    given = list(_given(task, answers, rng))
    for check in task.checks:
        said = _statement(task, check)
        yield from (_item(said, check, answer) for answer in given if said)


def _item(said: str, check: Check, answer: Answer) -> CalibrationItem:
    """Return a statement and an answer; the truth is what the check says of the answer."""
    truth = evaluate_changes([check.model_dump()], answer, [])["outcome"] == "pass"
    evidence = shown(answer)
    return CalibrationItem(content_id("item", said, evidence), said, {"answer": evidence}, truth)


def shown(answer: Answer) -> str:
    """Return an answer as a judge is shown it."""
    return json.dumps(answer, ensure_ascii=False, indent=1, sort_keys=True)


def _given(task: AgentTask, answers: Mapping[str, Answer], rng: random.Random) -> Iterator[Answer]:
    """Yield the proven answer, it with one value changed, and it with a field too few, too many, and renamed."""
    gold = answers[task.id]
    yield gold
    for field in task.answer_fields:
        value = gold[field.name]
        for other in _values(field, value, _others(task, value, answers), rng):
            yield gold | {field.name: other}
    dropped = rng.choice(task.answer_fields).name
    rest = {name: value for name, value in gold.items() if name != dropped}
    yield from (rest, gold | {EXTRA: ""}, rest | {EXTRA: gold[dropped]})


def _values(field: AnswerField, value: Any, others: Sequence[Any], rng: random.Random) -> Iterator[Any]:
    """Yield values for the place of the right one: one by each operator that changes one, of other answers, in other words."""
    for operator in sorted(CHANGES):
        changed = [other for _, other in CHANGES[operator](field, value, rng)]
        yield from rng.sample(changed, min(1, len(changed)))
    yield from rng.sample(others, min(2, len(others)))
    yield from _in_other_words(field, value)


def _in_other_words(field: AnswerField, value: Any) -> Iterator[Any]:
    if field.type in ("integer", "number") and value is not None:
        yield str(value)
        if field.tolerance:
            yield value + field.tolerance / 2
    elif field.type == "list" and not field.ordered and isinstance(value, list):
        yield value[::-1]


def _others(task: AgentTask, value: Any, answers: Mapping[str, Answer]) -> list[Any]:
    """Return values of the same JSON type in the answers to other tasks, sorted by task and field."""
    rest = (answers[other] for other in sorted(answers) if other != task.id)
    return [other for answer in rest for _, other in sorted(answer.items()) if type(other) is type(value)]


def _statement(task: AgentTask, check: Check) -> str:
    """Say what a check of the answer asks for; "" for a check of the state."""
    if check.type == "answer_keys":
        names = ", ".join(f'"{name}"' for name in sorted(check.spec["fields"]))
        return f"The answer has these fields and no others: {names}."
    if check.type != "answer_field":
        return ""
    field = next(field for field in task.answer_fields if field.name == check.spec["field"])
    allowance = ""
    if field.type == "list":
        allowance = ", in this order" if field.ordered else ", in any order"
    elif field.tolerance:
        allowance = f", give or take {field.tolerance}"
    expected = json.dumps(check.spec["expected"], ensure_ascii=False)
    return f'The answer\'s "{field.name}" ({field.description}) is {expected}{allowance}.'
