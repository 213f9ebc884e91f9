"""Exercise: how many places a task offers at which a policy can fail by a cause.

Places are those at which a scripted policy can be made to fail so (`policies/lapses.py`). `exercised` counts them on the gold
run, which is exact; `opportunities` reads a program alone and is an estimate: a draft has no run yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.answers import AnswerField
from schemas.diagnoses import Cause
from schemas.programs import (
    Aggregate,
    Append,
    Call,
    Const,
    Expression,
    Filter,
    ForEach,
    If,
    Let,
    Program,
    Ref,
    Sort,
    Statement,
    Take,
)
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.policies.lapses import FEW, Lapse
from tasks.arena.policies.places import count_places, lookups
from tasks.arena.policies.toolset import UNKNOWN, Toolset
from tasks.verification.syntax import names_in, nodes_of

LAPSES: Mapping[Cause, Lapse] = {
    "missing_lookup": "skipped_lookup",
    "wrong_tool": "wrong_tool",
    "wrong_argument": "dropped_filter",
    "missing_write": "left_out_write",
    "extra_write": "needless_write",
    "state_lost": "lost_state",
    "error_ignored": "ignored_error",
    "stopped_early": "stopped_early",
    "wrong_aggregation": "wrong_aggregation",
    "wrong_format": "wrong_format",
}
"""What a scripted policy does to fail by a cause. The budget runs out call by call, and what is unexplained has no place."""
ROUNDS = 5
"""Rounds of a loop over as many rows as there are."""


def exercised(cause: Cause, task: AgentTask, gold: GoldRun, tools: Mapping[str, Tool], at: Collection[str] = ()) -> int:
    """Count the places of a task's gold run at which a policy can fail by a cause; with `at` only those at these tools."""
    return count_exercise(cause, task.program, task.answer_fields, gold, tools, at)


def count_exercise(
    cause: Cause,
    program: Program,
    fields: Sequence[AnswerField],
    gold: GoldRun,
    tools: Mapping[str, Tool],
    at: Collection[str] = (),
) -> int:
    """Do as `exercised` does for a program that ran, whether it became a task or not."""
    if cause in LAPSES:
        return count_places(program, gold, Toolset.of(tools.values()), fields, at)[LAPSES[cause]]
    return sum(not at or step.tool in at for step in gold.steps) if cause == "out_of_budget" else 1


def opportunities(cause: Cause, program: Program, tools: Mapping[str, Tool]) -> int:
    """Estimate from a program alone how many places it offers at which a policy can fail by a cause.

    A loop counts as often as its list is long where the program says so, else `ROUNDS` times; of a branch both sides count.
    """
    visits = [visit for visit in _visits(program.body, 1, _Known()) if visit.call.tool in tools]
    toolset = Toolset.of(tools.values())
    match cause:
        case "missing_lookup":
            found = lookups(program, toolset)
            return sum(visit.times for visit in visits if visit.call.bind in found)
        case "wrong_tool":
            return sum(visit.times for visit in visits if _has_look_alike(visit.call, toolset))
        case "wrong_argument":
            return sum(
                len(toolset.narrowing(each.call.tool) & each.call.arguments.keys()) * each.times for each in visits
            )
        case "state_lost":
            return sum(visit.times * len(visit.carried) for visit in _late(visits))
        case "error_ignored":
            return sum(visit.times for visit in visits if visit.call.may_refuse)
        case "missing_write":
            return sum(visit.times for visit in visits if not tools[visit.call.tool].read_only)
        case "stopped_early" | "out_of_budget":
            return sum(visit.times for visit in _late(visits))
        case "wrong_format":
            return len(program.answer)
        case "wrong_aggregation":
            return sum(isinstance(node, Aggregate) for node in nodes_of(program.answer))
        case _:
            return 1


@dataclass(frozen=True)
class _Visit:
    """A call that a program makes so many times; `carried`: its arguments whose values an earlier call gave."""

    call: Call
    times: int
    carried: frozenset[str]


class _Known:
    """What is known of a program's variables on the way through it: which hold values of calls, and how long lists are."""

    def __init__(self) -> None:
        self.observed: set[str] = set()
        self._lengths: dict[str, int] = {}

    def carries(self, value: object) -> bool:
        """Say whether a value, or what a record is made of, comes from a call."""
        return not self.observed.isdisjoint(names_in(value))

    def note(self, bind: str, value: object, length: int | None = None) -> None:
        """Take in what a variable holds."""
        if self.carries(value):
            self.observed.add(bind)
        if length is not None:
            self._lengths[bind] = length

    def rounds(self, over: Expression) -> int:
        """Return how often a loop over a list goes round."""
        if isinstance(over, Const):
            return len(over.value)
        return self._lengths.get(over.name, ROUNDS) if isinstance(over, Ref) and not over.path else ROUNDS


def _visits(body: Sequence[Statement], times: int, known: _Known) -> Iterator[_Visit]:
    """Yield a program's calls in their order."""
    for statement in body:
        match statement:
            case Call():
                carried = {name for name, value in statement.arguments.items() if known.carries(value)}
                known.observed.add(statement.bind)
                yield _Visit(statement, times, frozenset(carried))
            case Let():
                known.note(statement.bind, statement.value)
            case Append():
                known.note(statement.to, statement.record)
            case Take():
                known.note(statement.bind, statement.over, statement.count)
            case Filter() | Sort():
                known.note(statement.bind, statement.over)
            case ForEach():
                known.note(statement.item, statement.over)
                yield from _visits(statement.body, times * known.rounds(statement.over), known)
            case If():
                yield from _visits(statement.then, times, known)
                yield from _visits(statement.otherwise, times, known)


def _late(visits: Sequence[_Visit]) -> Iterator[_Visit]:
    """Yield the calls without the first few, before which there is little to lose."""
    before = 0
    for visit in visits:
        early = min(visit.times, max(0, FEW - before))
        before += visit.times
        if visit.times > early:
            yield _Visit(visit.call, visit.times - early, visit.carried)


def _has_look_alike(call: Call, toolset: Toolset) -> bool:
    given = {name: value.value if isinstance(value, Const) else UNKNOWN for name, value in call.arguments.items()}
    return bool(toolset.look_alikes(call.tool, given))
