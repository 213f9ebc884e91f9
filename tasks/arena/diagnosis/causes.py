"""Causes: why an attempt failed, by the first place at which it left every way to the goal.

The decisions, in this order; the first that can be shown stands.

1. The answer's values are right and the state is too: only the form is wrong (wrong_format). Values that it has are a proof
   that its calls were good enough, whatever they were; but a number that is rounded to a digit or two proves nothing where a
   call is missing.
2. A change beside the gold run's comes before the first gold call that was not reached (extra_write): what follows may follow
   from it. Where the call before was refused, and it went on as if that were done, that is why (error_ignored).
3. The first gold call that was not reached, among those on which what failed depends. What stands in its place?
   a. The same call, which was refused or failed: it was never made again (error_ignored).
   b. The same tool with other arguments. An argument whose right value was told to the attempt, and that holds another one
      of its kind that was told, was mixed up (state_lost). One whose right value comes from a lookup and was not told, was
      not looked up (missing_lookup). Else it is the argument: left out, beside, or with a value that nothing gives (wrong_argument).
   c. No call, and none in the place of later ones either: it ended there (out_of_budget, or stopped_early). That one last call
      is missing says little of ending early: only an answer that is left open there does.
   d. A call that the gold run makes only since the one before was refused, and the answer does not heed that: the refusal was
      passed over (error_ignored).
   e. Another tool is called, a look-alike (wrong_tool).
   f. No call, though the attempt went on: what is missing tells (missing_lookup, missing_write).
4. All calls were reached. No answer was given (out_of_budget, stopped_early); the wrong fields are what they would be if
   refusals were taken for done (error_ignored); a field that is a value as looked up holds another one of its kind
   that was told (state_lost); else it was worked out wrongly (wrong_aggregation).
5. Nothing can be shown (unexplained).

Arguments come before tools, since a call of the right tool is nearer to the gold call than any look-alike; refusals come before
tools, since a call after a refusal that was passed over is made for another reason than the gold call's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.answers import AnswerField
from schemas.diagnoses import Cause, Failure
from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.diagnosis.calls import Made, shown, text_of
from tasks.arena.diagnosis.case import Case
from tasks.arena.diagnosis.heedless import UNKNOWN, answers_without_heed
from tasks.arena.diagnosis.needs import (
    depends_on_refusals,
    is_looked_up,
    is_said,
    tools_after_refusals,
    tools_unless_refused,
)
from tasks.verification.checks import same_value

_BY_WEIGHT: tuple[Cause, ...] = ("state_lost", "missing_lookup", "wrong_argument")
"""Causes that a call's arguments may show, the most telling first."""


@dataclass(frozen=True)
class Blame:
    """What is to blame, and where: places are as in `Failure`."""

    cause: Cause
    evidence: str
    step: int | None = None
    gold_step: int | None = None
    tool: str | None = None


def classify(
    rollout_id: str, rollout: Rollout, task: AgentTask, gold: GoldRun, tools: Sequence[Tool], contract: dict[str, Any]
) -> Failure | None:
    """Say why an attempt failed; None when it passed, or was not judged: then it says nothing of the policy.

    `tools` are all of the environment's, `contract` is its state contract. For a change beside, `tool` is the one that made it.
    """
    if rollout.verdict.outcome != "fail" or rollout.stop_reason == "policy_failed":
        return None
    case = Case.of(rollout, task, gold, tools, contract)
    blame = next(found for decide in _DECISIONS if (found := decide(case)) is not None)
    return Failure(
        rollout_id=rollout_id,
        task_id=task.id,
        environment_id=task.environment_id,
        cause=blame.cause,
        step=blame.step,
        gold_step=blame.gold_step,
        tool=blame.tool,
        evidence=blame.evidence,
    )


# --- the decisions ------------------------------------------------------------------------


def _by_form(case: Case) -> Blame | None:
    if not case.changed_rightly or case.wrong:
        return None
    answer, expected = case.rollout.answer, case.task.expected_answer
    return Blame("wrong_format", f"answered {shown(answer)} where {shown(expected)} is asked for")


def _by_calls(case: Case) -> Blame | None:
    missed, extra = case.missed, case.extra
    if extra is not None and (missed is None or extra.place < case.alignment.due(missed)):
        return _beside(case, extra)
    if missed is None:
        return None
    instead = case.alignment.instead(missed)
    if instead is not None and instead.tool == missed.tool:
        return _other_outcome(missed, instead) if instead.key == missed.key else _other_arguments(case, missed, instead)
    if instead is None and (end := _end(case, missed)) is not None:
        return end
    if _passes_over_refusal(case, missed):
        evidence = f"after a refusal {missed} was needed, and it went on as if the call had been done"
        return _at(missed, case, "error_ignored", evidence)
    if instead is not None:
        return _at(missed, case, "wrong_tool", f"{instead} was called where {missed} was needed")
    cause: Cause = "missing_lookup" if missed.reads else "missing_write"
    return _at(missed, case, cause, f"{missed} was needed, and no call was made in its place")


def _by_answer(case: Case) -> Blame | None:
    if case.rollout.answer is None:
        cause: Cause = "out_of_budget" if case.is_cut_short else "stopped_early"
        return Blame(cause, "all calls that were needed were made, and no answer was given")
    if not case.wrong:
        return None
    if _is_heedless(case):
        return Blame("error_ignored", f"{_told(case, case.wrong)}, as if what was refused had been done")
    if mixed := [name for name in case.wrong if is_looked_up(case.task.program, name) and _is_mixed_up(case, name)]:
        return Blame("state_lost", f"{_told(case, mixed)}, a value that belongs to something else it saw")
    return Blame("wrong_aggregation", f"{_told(case, case.wrong)}, after all calls that were needed")


def _unexplained(case: Case) -> Blame | None:
    return Blame("unexplained", case.rollout.verdict.detail or "the verdict says no more")


_DECISIONS: tuple[Callable[[Case], Blame | None], ...] = (_by_form, _by_calls, _by_answer, _unexplained)

# --- by the calls -------------------------------------------------------------------------


def _at(missed: Made, case: Case, cause: Cause, evidence: str) -> Blame:
    return Blame(cause, evidence, case.alignment.due(missed), missed.place, missed.tool)


def _beside(case: Case, extra: Made) -> Blame:
    writes = [call for call in case.made[: extra.place] if call.reads is False]
    if writes and writes[-1].refused and extra.tool in tools_unless_refused(case.task.program):
        evidence = f"{extra} was called after {writes[-1]} was refused"
        return Blame("error_ignored", evidence, extra.place, None, extra.tool)
    return Blame("extra_write", f"{extra} was not asked for", extra.place, None, extra.tool)


def _other_outcome(missed: Made, instead: Made) -> Blame:
    """Judge a call that is the gold run's, with another outcome."""
    if instead.refused:
        evidence = f"{instead} failed ({shown(instead.observation)}) and was not made again"
        return Blame("error_ignored", evidence, instead.place, missed.place, missed.tool)
    evidence = f"{instead} was done where the gold run is refused"
    return Blame("unexplained", evidence, instead.place, missed.place, missed.tool)


def _other_arguments(case: Case, missed: Made, instead: Made) -> Blame:
    """Judge a call of the right tool by the argument that tells most."""
    names = sorted(missed.arguments.keys() | instead.arguments.keys())
    given = ((name, missed.arguments.get(name), instead.arguments.get(name)) for name in names)
    differing = [each for each in given if text_of(each[1]) != text_of(each[2])]
    judged = [(_cause_of(case, missed, instead, *each), each) for each in differing]
    cause, (name, right, used) = min(judged, key=lambda one: _BY_WEIGHT.index(one[0]))
    said = "was left out" if used is None else f"was {shown(used)}"
    evidence = f"{name} of {missed.tool} {said}, needed was {'none' if right is None else shown(right)}"
    return _at(missed, case, cause, evidence)


def _cause_of(case: Case, missed: Made, instead: Made, name: str, right: Any, used: Any) -> Cause:
    if right is None or used is None or is_said(case.task.program, missed.tool, name, right):
        return "wrong_argument"
    kinds = case.kinds(case.seen.names(right, instead.place))
    if kinds:
        kinds &= _kinds_taken(case, missed.tool, name) or kinds
        return "state_lost" if kinds & case.kinds(case.seen.names(used, instead.place)) else "wrong_argument"
    return "missing_lookup" if case.shown.names(right, missed.place) else "wrong_argument"


def _kinds_taken(case: Case, tool: str, argument: str) -> set[str]:
    """Return the kinds of value that an argument takes, as results show them."""
    schema = case.tools[tool].input_schema.get("properties", {}).get(argument, {})
    return {argument, schema.get("x-domain", argument)}


def _passes_over_refusal(case: Case, missed: Made) -> bool:
    """Say whether a gold call is missing that is made only since the one before was refused, and the refusal is why.

    Not where the answer heeds the refusal: then a change was left out, or a lookup, for its own sake.
    """
    before = [call for call in case.alignment.gold if call.place < missed.place][-1:]
    if not before or missed.tool not in tools_after_refusals(case.task.program):
        return False
    if not before[0].refused or before[0].place not in case.alignment.reached:
        return False
    if missed.reads:
        return _is_heedless(case)
    dependent = [name for name in case.task.program.answer if depends_on_refusals(case.task.program, name)]
    return not dependent or any(name in case.wrong for name in dependent)


def _end(case: Case, missed: Made) -> Blame | None:
    """Judge an attempt that ended where a gold call was due; None when it went on, or may have but left that one call out."""
    rest = [call for call in case.needed if call.place >= missed.place]
    if case.alignment.goes_on(missed):
        return None
    if case.is_cut_short:
        return _at(missed, case, "out_of_budget", f"calls or tokens ran out before {missed}")
    if len(rest) > 1 or case.blank:
        return _at(missed, case, "stopped_early", f"it ended before {missed}, {len(rest)} call(s) were needed still")
    return None


# --- by the answer ------------------------------------------------------------------------


def _is_heedless(case: Case) -> bool:
    """Say whether the answer is what the program comes to when refusals are ignored, in one way or another."""
    program, answer, fields = case.task.program, case.rollout.answer, case.task.answer_fields
    if not isinstance(answer, dict) or not all(depends_on_refusals(program, name) for name in case.wrong):
        return False
    return any(
        all(_is_as(answer.get(field.name), supposed[field.name], field) for field in fields)
        for supposed in answers_without_heed(program, case.gold, case.made, case.tools)
    )


def _is_as(given: Any, supposed: Any, field: AnswerField) -> bool:
    return supposed is UNKNOWN or same_value(
        given, supposed, field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
    )


def _is_mixed_up(case: Case, name: str) -> bool:
    """Say whether an answer field holds a value that was told and is of the right one's kind."""
    answer = case.rollout.answer
    if not isinstance(answer, dict) or answer.get(name) is None:
        return False
    right, given = (case.seen.names(value, len(case.made)) for value in (case.task.expected_answer[name], answer[name]))
    return bool(case.kinds(right) & case.kinds(given))


def _told(case: Case, names: Sequence[str]) -> str:
    answer = case.rollout.answer if isinstance(case.rollout.answer, dict) else {}
    name = names[0]
    return f"{name} was {shown(answer.get(name))}, expected was {shown(case.task.expected_answer[name])}"
