"""A rollout's page: one attempt beside the gold run of its task, what it changed, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from schemas.diagnoses import Failure
from schemas.identity import canonical_json
from schemas.rollouts import KeptRollout, Rollout, RolloutStep
from schemas.tasks import AgentTask, GoldRun, GoldStep
from tasks.pages.markdown import bounded, code, page, plural, quote, table, text
from tasks.pages.task import as_value, changes, demand

LONGEST_MESSAGE = 300
"""Characters shown of what a policy said, and of the evidence against it."""
STOPS: Mapping[str, str] = {
    "answered": "it answered",
    "gave_up": "it ended without an answer",
    "out_of_calls": "it made as many calls as it may",
    "out_of_tokens": "its conversation became as long as it may",
    "policy_failed": "its endpoint or its code failed",
}
COLUMNS = ("call", "the attempt", "it saw", "gold call", "the gold run", "it saw there")


def rollout_page(kept: KeptRollout, task: AgentTask, gold: GoldRun, theme: str, failure: Failure | None) -> str:
    """Return the page of one attempt; `theme` names its environment's theme, `failure` says why it failed, if that is known."""
    rollout = kept.rollout
    took = rollout.finished_at - rollout.started_at
    return page(
        f"# Rollout {code(kept.id)}",
        f"Attempt {rollout.attempt + 1} of {code(rollout.policy)} ({code(kept.policy_id)}) at {code(task.id)} of "
        f"{code(theme)}: **{rollout.verdict.outcome}**. After {plural(rollout.calls, 'call')} and {took:.1f} s "
        f"{STOPS[rollout.stop_reason]}; the gold run makes {plural(len(gold.steps), 'call')}.",
        _reason(rollout, failure),
        "## Request",
        quote(task.request),
        "## Answer",
        _answer(rollout.answer, task),
        *_failed_checks(rollout, task),
        "## Calls beside the gold run",
        _trace(rollout, gold, failure),
        "## State change",
        *_state(rollout, task),
        "## What to look at next",
        f"`factory show {task.id}` shows the task; `factory play {task.id}` lets you try it.",
    )


def _reason(rollout: Rollout, failure: Failure | None) -> str:
    """Say why it failed, as the latest diagnosis has it."""
    if rollout.verdict.outcome == "error":
        return f"Nobody could judge it: {text(rollout.verdict.detail, LONGEST_MESSAGE)}"
    if failure is None:
        undiagnosed = f"Why is not known; of attempts in the arena `factory diagnose --policy {rollout.policy}` says it"
        return undiagnosed if rollout.verdict.outcome == "fail" else ""
    where = "in the answer" if failure.step is None else f"at call {failure.step + 1}"
    return f"It failed by {code(failure.cause)} {where}: {text(failure.evidence, LONGEST_MESSAGE)}"


def _answer(answer: Any, task: AgentTask) -> str:
    if not isinstance(answer, dict):
        return "None was given." if answer is None else f"It is no object: {as_value(answer)}"
    names = list(dict.fromkeys([*task.expected_answer, *answer]))
    rows = [(code(name), _cell(answer, name), _cell(task.expected_answer, name)) for name in names]
    return table(("field", "answered", "expected"), rows) if rows else "No answer is asked for; the state is judged."


def _cell(values: Mapping[str, Any], name: str) -> str:
    return as_value(values[name]) if name in values else ""


def _failed_checks(rollout: Rollout, task: AgentTask) -> Iterator[str]:
    checks = {check.id: check for check in task.checks}
    rows = [
        (
            code(result.check_id),
            demand(checks[result.check_id]) if result.check_id in checks else "",
            text(result.detail),
        )
        for result in rollout.verdict.results
        if not result.passed
    ]
    if rows:
        yield f"## Checks that failed ({len(rows)} of {len(rollout.verdict.results)})"
        yield table(("check", "what it demands", "why it failed"), rows)


def _state(rollout: Rollout, task: AgentTask) -> Iterator[str]:
    if rollout.state_diff == task.expected_change:
        yield "As expected:" if rollout.state_diff else "None, as expected."
        yield changes(rollout.state_diff) if rollout.state_diff else ""
    else:
        yield from ("It changed:", changes(rollout.state_diff), "Expected was:", changes(task.expected_change))


# --- the calls ----------------------------------------------------------------------------


def _trace(rollout: Rollout, gold: GoldRun, failure: Failure | None) -> str:
    """Set what was called beside the gold run; the call at which it went wrong is bold."""
    made = [step for step in rollout.steps if step.kind == "call"]
    said = _said_before_calls(rollout.steps)
    rows: list[tuple[str, ...]] = []
    for number, gold_step in _aligned([_key(step) for step in made], [_key(step) for step in gold.steps]):
        rows += [("", text(message, LONGEST_MESSAGE), "", "", "", "") for message in said.pop(number, ())]
        wrong = failure is not None and number == failure.step
        rows.append(
            _row(
                None if number is None else made[number],
                number,
                None if gold_step is None else gold.steps[gold_step],
                wrong,
            )
        )
    rows += [("", text(message, LONGEST_MESSAGE), "", "", "", "") for message in said.pop(len(made), ())]
    return bounded(COLUMNS, rows, ("call", "gold call")) if rows else "None."


def _said_before_calls(steps: Sequence[RolloutStep]) -> dict[int | None, list[str]]:
    """Return the messages by the number of the call that they stand before."""
    said: dict[int | None, list[str]] = {}
    calls = 0
    for step in steps:
        if step.kind == "message":
            said.setdefault(calls, []).append(step.content or "")
        else:
            calls += 1
    return said


def _aligned(made: Sequence[str], gold: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the places of calls that stand beside each other, equal ones where the order allows it."""
    for _, a, a_end, b, b_end in SequenceMatcher(None, made, gold, autojunk=False).get_opcodes():
        yield from zip_longest(range(a, a_end), range(b, b_end))


def _key(step: RolloutStep | GoldStep) -> str:
    return canonical_json([step.tool, step.arguments])


def _row(step: RolloutStep | None, number: int | None, gold: GoldStep | None, wrong: bool) -> tuple[str, ...]:
    """Return a row of the trace; a gold call that is equal is not written out again."""
    call = ("", "", "")
    if step is not None and number is not None:
        shown = f"**{number + 1}**" if wrong else str(number + 1)
        call = (shown, _call(step), as_value(step.observation))
    if gold is None:
        return (*call, "", "", "")
    if step is None or _key(step) != _key(gold):
        return (*call, str(gold.index + 1), _call(gold), as_value(gold.observation))
    seen = "the same" if step.observation == gold.observation else as_value(gold.observation)
    return (*call, str(gold.index + 1), "the same", seen)


def _call(step: RolloutStep | GoldStep) -> str:
    return f"{code(step.tool)} {as_value(step.arguments)}"
