"""A lending library in memory: a world of a few rows with its tools, a task in it, and attempts that are made call by call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from schemas.answers import AnswerField
from schemas.identity import canonical_json, sha256_text
from schemas.programs import (
    Aggregate,
    Append,
    Call,
    Compare,
    Const,
    ForEach,
    If,
    NewList,
    Program,
    Ref,
    Refused,
    Round,
    Statement,
)
from schemas.rollouts import Rollout, RolloutStep, StopReason
from schemas.tasks import AgentTask, GoldRun, GoldStep, TaskDraft, Verdict
from schemas.tools import Operation, Tool
from tasks.arena.policies.interpreter import Interpreter
from tasks.verification.checks import evaluate
from tasks.verification.rubrics import build_checks
from tasks.world.refusals import refusal

Calls = list[tuple[str, dict[str, Any]]]
CONTRACT = {"generated_keys": {"reminders": "reminder_id"}, "writable": ["loans", "reminders"]}
MEMBERS = {
    71: {"member_id": 71, "name": "Ada", "fines": 2},
    72: {"member_id": 72, "name": "Bo", "fines": 40},
    73: {"member_id": 73, "name": "Cy", "fines": 0},
    74: {"member_id": 74, "name": "Di", "fines": 3},
}
LOANS = {
    501: {"loan_id": 501, "member_id": 71, "pages": 310, "due_on": "2024-03-01", "status": "open", "renewals": 0},
    502: {"loan_id": 502, "member_id": 72, "pages": 95, "due_on": "2024-03-02", "status": "open", "renewals": 1},
    503: {"loan_id": 503, "member_id": 73, "pages": 120, "due_on": "2024-03-03", "status": "lost", "renewals": 0},
    504: {"loan_id": 504, "member_id": 74, "pages": 222, "due_on": "2024-03-04", "status": "open", "renewals": 2},
    505: {"loan_id": 505, "member_id": 73, "pages": 401, "due_on": "2024-03-05", "status": "open", "renewals": 0},
}


class Library:
    """The library of one session; `unavailable`: tool → how many of its first calls fail for a moment."""

    def __init__(self, unavailable: dict[str, int] | None = None) -> None:
        self.loans, self.reminders = copy.deepcopy(LOANS), dict[int, dict[str, Any]]()
        self._unavailable = dict(unavailable or {})

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        if self._unavailable.get(tool):
            self._unavailable[tool] -= 1
            return refusal("unavailable", "try again")
        if not any(tool == each.name for each in TOOLS):
            return refusal("unknown_tool", tool)
        return copy.deepcopy(getattr(self, tool)(**arguments))

    def search_loans(self, status: str | None = None, limit: int = 20, offset: int = 0) -> Any:
        found = [loan for loan in self.loans.values() if status in (None, loan["status"])]
        items = [{"loan_id": loan["loan_id"], "due_on": loan["due_on"]} for loan in found]
        return {"items": items[offset : offset + limit], "total": len(found)}

    def get_loan(self, loan_id: int) -> Any:
        return self.loans.get(loan_id) or refusal("not_found", "no such loan")

    def get_member(self, member_id: int) -> Any:
        return MEMBERS.get(member_id) or refusal("not_found", "no such member")

    def get_member_card(self, member_id: int) -> Any:
        return {"card": f"C{member_id}"} if member_id in MEMBERS else refusal("not_found", "no such member")

    def renew_loan(self, loan_id: int, days: int) -> Any:
        loan = self.loans[loan_id]
        if loan["renewals"] >= 2:
            return refusal("renewed_too_often", "twice is most")
        loan |= {"renewals": loan["renewals"] + 1, "due_on": f"2024-03-{int(loan['due_on'][-2:]) + days:02d}"}
        return loan

    def close_loan(self, loan_id: int) -> Any:
        self.loans[loan_id]["status"] = "closed"
        return self.loans[loan_id]

    def remind_member(self, member_id: int) -> Any:
        number = len(self.reminders) + 1
        self.reminders[number] = {"reminder_id": number, "member_id": member_id}
        return self.reminders[number]

    def diff(self) -> dict[str, Any]:
        updated = []
        for key, loan in self.loans.items():
            new = {name: value for name, value in loan.items() if value != LOANS[key][name]}
            if new:
                updated.append({"key": key, "old": {name: LOANS[key][name] for name in new}, "new": new})
        changes = {
            "loans": {"inserted": [], "updated": updated, "deleted": []},
            "reminders": {"inserted": list(self.reminders.values()), "updated": [], "deleted": []},
        }
        return {table: change for table, change in changes.items() if any(change.values())}


def _tool(name: str, operation: Operation, given: dict[str, Any], told: dict[str, Any]) -> Tool:
    properties = {each: {"type": "integer"} | schema for each, schema in given.items()}
    table = name.partition("_")[2]
    return Tool(
        name=name,
        description=name,
        operation=operation,
        read_only=operation in ("get", "search"),
        input_schema={"type": "object", "properties": properties},
        output_schema={"type": "object", "properties": told},
        intent={"table": table if table.endswith("s") else f"{table}s"},
    )


LOAN_ID, MEMBER_ID = {"x-domain": "loans.loan_id"}, {"x-domain": "members.member_id"}
_LOAN = {"loan_id": LOAN_ID, "member_id": MEMBER_ID}
TOOLS = [
    _tool("search_loans", "search", {"status": {"type": "string"}, "limit": {"default": 20}, "offset": {}}, _LOAN),
    _tool("get_loan", "get", {"loan_id": LOAN_ID}, _LOAN),
    _tool("get_member", "get", {"member_id": MEMBER_ID}, {"member_id": MEMBER_ID}),
    _tool("get_member_card", "get", {"member_id": MEMBER_ID}, {}),
    _tool("renew_loan", "transition", {"loan_id": LOAN_ID, "days": {}}, _LOAN),
    _tool("close_loan", "transition", {"loan_id": LOAN_ID}, _LOAN),
    _tool("remind_member", "create", {"member_id": MEMBER_ID}, {"member_id": MEMBER_ID}),
]


def _at(name: str, *path: str | int) -> Ref:
    return Ref(name=name, path=path)


def _program() -> Program:
    """Renew the open loans of members who owe little; remind those whose loan can't be renewed again."""
    taken = Append(to="taken", record={"pages": _at("loan", "pages")})
    remind = Call(bind="reminder", tool="remind_member", arguments={"member_id": _at("loan", "member_id")})
    renew: tuple[Statement, ...] = (
        Call(
            bind="renewed",
            tool="renew_loan",
            arguments={"loan_id": _at("row", "loan_id"), "days": Const(value=14)},
            may_refuse=True,
        ),
        If(condition=Refused(name="renewed"), then=(remind,), otherwise=(taken,)),
    )
    owes_little = Compare(operator="<=", left=_at("member", "fines"), right=Const(value=5))
    loop = (
        Call(bind="loan", tool="get_loan", arguments={"loan_id": _at("row", "loan_id")}),
        Call(bind="member", tool="get_member", arguments={"member_id": _at("loan", "member_id")}),
        If(condition=owes_little, then=renew),
    )
    first_loan, last = _at("page", "items", 0, "loan_id"), _at("page", "items", 3, "loan_id")
    body = (
        Call(bind="page", tool="search_loans", arguments={"status": Const(value="open"), "limit": Const(value=9)}),
        NewList(bind="taken"),
        ForEach(item="row", over=_at("page", "items"), body=loop),
        Call(bind="later", tool="get_loan", arguments={"loan_id": last}),
        Call(bind="first", tool="get_loan", arguments={"loan_id": first_loan}),
    )
    pages = Aggregate(function="mean", over=_at("taken"), path=("pages",))
    answer = {
        "renewed": Aggregate(function="count", over=_at("taken")),
        "mean_pages": Round(value=pages, digits=2),
        "due_then": _at("first", "due_on"),
        "due_last": _at("later", "due_on"),
    }
    return Program(body=body, answer=answer)


FIELDS = [
    AnswerField(name="renewed", type="integer", description="loans renewed", unit="loans"),
    AnswerField(name="mean_pages", type="number", description="mean number of pages", tolerance=0.005, unit="pages"),
    AnswerField(name="due_then", type="date", description="when the first is due"),
    AnswerField(name="due_last", type="date", description="when the last is due"),
]


def errand(unavailable: dict[str, int] | None = None) -> tuple[AgentTask, GoldRun]:
    """Return the task with its gold run, which the interpreter of programs makes."""
    library, steps, program = Library(unavailable), list[GoldStep](), _program()

    def make(tool: str, arguments: dict[str, Any]) -> Any:
        told = library.call(tool, arguments)
        reads = next(each.read_only for each in TOOLS if each.name == tool)
        steps.append(
            GoldStep(
                index=len(steps),
                tool=tool,
                arguments=arguments,
                observation=told,
                observation_sha256=sha256_text(canonical_json(told)),
                read_only=reads,
            )
        )
        return told

    answer, draft = Interpreter(make).run(program), _draft(program)
    task = AgentTask(
        **draft.model_dump(include={"kind", "shape", "author", "language", "request"}),
        id="errand",
        environment_id="library",
        answer_fields=FIELDS,
        expected_answer=answer,
        expected_change=library.diff(),
        requires_change=True,
        program=program,
        solution="",
        checks=build_checks(draft, answer, library.diff(), CONTRACT),
        gold_calls=len(steps),
        unique_tools=len({step.tool for step in steps}),
        disturbances=unavailable or {},
        seed=0,
    )
    return task, GoldRun(task_id=task.id, steps=steps, answer=answer, state_id="", state_diff=library.diff())


def _draft(program: Program) -> TaskDraft:
    request = "Renew the open loans."
    return TaskDraft(kind="programmatic", shape="pass", request=request, answer_fields=FIELDS, program=program)


def calls_of(gold: GoldRun) -> Calls:
    """Return the calls of a gold run, those left out that failed for a moment."""
    made = [step for step in gold.steps if not (isinstance(step.observation, dict) and "error" in step.observation)]
    refused = [step for step in gold.steps if step not in made and step.observation["error"]["code"] != "unavailable"]
    return [(step.tool, step.arguments) for step in sorted([*made, *refused], key=lambda step: step.index)]


def tried(
    task: AgentTask, calls: Sequence[tuple[str, dict[str, Any]]], answer: Any, stop: StopReason = "answered"
) -> Rollout:
    """Make calls in a library of their own and judge them with an answer."""
    library = Library(task.disturbances)
    steps = [
        RolloutStep(kind="call", tool=tool, arguments=arguments, observation=library.call(tool, arguments))
        for tool, arguments in calls
    ]
    checks = [check.model_dump() for check in task.checks]
    verdict = Verdict.model_validate(evaluate(checks, answer, library.diff(), CONTRACT))
    return Rollout(
        policy="by hand",
        task_id=task.id,
        environment_id=task.environment_id,
        attempt=0,
        stop_reason=stop,
        answer=answer,
        steps=steps,
        state_diff=library.diff(),
        verdict=verdict,
        started_at=0.0,
        finished_at=1.0,
    )


Edit = Callable[[Calls, dict[str, Any]], tuple[Calls, Any]]
"""Makes an attempt of the gold run's calls and answer."""
