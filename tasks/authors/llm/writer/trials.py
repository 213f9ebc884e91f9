"""Trials: a draft run and read as the admission gate will, so that its writer can repair it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import Append, Call, Chosen, Compare, Const, ForEach, Let, Program, Take
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.base import Setting
from tasks.authors.compiler import compile_program
from tasks.verification.execution import Case, Execution, execute, require_sound, task_id
from tasks.verification.lint import lint_leak, lint_request, unsaid
from tasks.verification.refusals import REASONS, Fault
from tasks.verification.style.measures import style_fault
from tasks.verification.syntax import nodes_of
from tasks.world.session import UNDISTURBED


@dataclass(frozen=True)
class Trial:
    """What a draft's program did on a clean copy of its world, and the answer that it came to."""

    gold: Execution
    answer: dict[str, Any]


def try_out(draft: TaskDraft, setting: Setting) -> Trial:
    """Run a draft's program. Raises the gate's Refused when the run is not sound."""
    name = task_id(setting.environment.id, draft)
    case = Case(name, draft, compile_program(draft.program), UNDISTURBED)
    gold = execute(setting.world, setting.bundle, case)
    reads = {tool.name for tool in setting.tools if tool.read_only}
    return Trial(gold, require_sound(case, gold, reads))


def words_fault(draft: TaskDraft, trial: Trial, setting: Setting) -> Fault | None:
    """Return what is wrong with a draft's words; None when nothing is."""
    fault = lint_request(draft, setting.environment, setting.tools) or lint_leak(draft, trial.answer)
    if fault is not None:
        return fault
    if (constant := unsaid(draft)) is not None:
        return "unsaid_constant", constant
    if missing := [field.name for field in draft.answer_fields if field.name not in draft.request]:
        return "unannounced", f"the request does not name the answer's key {missing[0]}"
    return style_fault(draft, trial.gold.calls, setting.tools)


def explained(fault: Fault) -> str:
    """Return a fault in a sentence for the writer."""
    reason, detail = fault
    return f"{reason}: {REASONS.get(reason, detail)}" + (f" ({detail})" if reason in REASONS and detail else "")


def misfit(field: AnswerField, value: Any) -> str | None:
    """Return why a value is not of the type that its field announces, None when it is."""
    if field.type == "list":
        if not isinstance(value, list):
            return f"{field.name} is announced as a list and is {value!r}"
        item = field.model_copy(update={"type": field.item_type or "text"})
        return next(filter(None, (misfit(item, each) for each in value)), None)
    fits = {
        "integer": type(value) is int,
        "number": type(value) in (int, float),
        "text": isinstance(value, str),
        "date": _is_moment(value, "%Y-%m-%d"),
        "datetime": _is_moment(value, "%Y-%m-%dT%H:%M:%S"),
        "boolean": isinstance(value, bool),
    }
    return None if fits[field.type] else f"{field.name} is announced as {field.type} and is {value!r}"


def _is_moment(value: Any, form: str) -> bool:
    try:
        return isinstance(value, str) and datetime.strptime(value, form) is not None
    except ValueError:
        return False


def stated(program: Program, tools: list[Tool]) -> list[Any]:
    """Return the values of a program that its request has to state, since no call of a tool tells them.

    What is compared with, gone through, written or searched for; how many rows are taken; words of the answer. Orders,
    measures, sizes of pages and truth values are the program's own business.
    """
    by_name = {tool.name: tool for tool in tools}
    values: list[Any] = []
    for node in nodes_of(program):
        match node:
            case Compare():
                values += [side.value for side in (node.left, node.right) if isinstance(side, Const)]
            case Take():
                values.append(node.count)
            case ForEach(over=Const(value=list(items))):
                values += items
            case Let(value=Const(value=value)):
                values.append(value)
            case Append():
                values += [each.value for each in node.record.values() if isinstance(each, Const)]
            case Chosen():
                values += node.words.values()
            case Call() if node.tool in by_name:
                values += _given(node, by_name[node.tool])
    distinct: list[Any] = []
    for value in values:
        if value is not None and not isinstance(value, bool) and value not in distinct:
            distinct.append(value)
    return distinct


def _given(call: Call, tool: Tool) -> list[Any]:
    """Return the constants among a call's arguments that a person must have said."""
    given = {name: value.value for name, value in call.arguments.items() if isinstance(value, Const)}
    properties = tool.input_schema.get("properties", {})
    return [
        value
        for name, value in given.items()
        if not is_page_size(tool, name, value) and _is_free(properties.get(name, {}))
    ]


def _is_free(schema: dict[str, Any]) -> bool:
    """Say whether a parameter takes a value of the world or of the person, not a word of the tool's own."""
    return "x-domain" in schema or "enum" not in schema


def is_page_size(tool: Tool, parameter: str, value: Any) -> bool:
    """Say whether an argument only says how much of what is found a tool that reads shows."""
    schema = tool.input_schema.get("properties", {}).get(parameter, {})
    bounded = "x-domain" not in schema and ("default" in schema or "maximum" in schema)
    return tool.read_only and type(value) is int and bounded
