"""What a request must not say: names of the machinery, ids nobody knows, the answer; and what it must: its constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from schemas.environments import Environment
from schemas.programs import Call, Chosen, Const, Expression, ForEach, If, Let, Program, Ref, Statement
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.verification.mentions import mentions
from tasks.verification.syntax import nodes_of

SHORTEST_LEAK = 3
"""Characters of a text answer from which its appearance in the request counts as a leak."""
SMALLEST_LEAK = 10
"""A smaller whole number may stand in a request by chance ('the 5 longest')."""


def lint_request(draft: TaskDraft, environment: Environment, tools: list[Tool]) -> tuple[str, str] | None:
    """Return (reason, detail) of the first fault, or None.

    Plain English words that happen to be a table's or column's name ('flights') are the
    domain's language; an identifier that only the machinery knows ('tail_number') is not.
    """
    all_names = _machine_names(environment, tools)
    announced = {field.name for field in draft.answer_fields}
    if clash := sorted(announced & all_names):
        return "answer_field_is_a_name", ", ".join(clash)
    names = {name for name in all_names if "_" in name}
    said = _without(draft.request, [*announced, *(c for c in draft.constants if isinstance(c, str))])
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", said))
    if named := sorted(words & names | {word for word in words if "_" in word}):
        return "names_the_machinery", ", ".join(named)
    if unknown := sorted(_opaque_constants(draft.program, environment, tools)):
        return "uses_unknown_id", ", ".join(unknown)
    return None


def lint_leak(draft: TaskDraft, answer: dict[str, Any]) -> tuple[str, str] | None:
    """Return ("leaks_answer", field) when a value of the answer stands in the request.

    A word that the answer is to hold for one of several outcomes does no harm where the request says all of them.
    """
    text = f" {draft.request.casefold()} "
    numbers = set(re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)", draft.request))
    offered = _offered(draft.program, text)
    for name, value in answer.items():
        if name in offered:
            continue
        for leaf in value if isinstance(value, list) else [value]:
            if isinstance(leaf, str) and len(leaf) >= SHORTEST_LEAK and leaf.casefold() in text:
                return "leaks_answer", name
            if isinstance(leaf, int | float) and not isinstance(leaf, bool) and abs(leaf) >= SMALLEST_LEAK:
                if f"{leaf:g}" in numbers or str(leaf) in numbers:
                    return "leaks_answer", name
    return None


def unsaid(draft: TaskDraft) -> str | None:
    """Return the first constant of a draft that its request does not state, so that nobody can know it; None if all are."""
    return next((str(value) for value in draft.constants if not mentions(draft.request, value)), None)


def _offered(program: Program, text: str) -> set[str]:
    """Return the fields of an answer whose possible words, one for each outcome, all stand in a text."""
    words: dict[str, list[list[str]]] = {}
    for node in nodes_of(program):
        if isinstance(node, Let):
            words.setdefault(node.bind, []).append(_words(node.value))
    told = {name: words.get(value.name, []) for name, value in program.answer.items() if isinstance(value, Ref)}
    return {
        name
        for name, outcomes in told.items()
        if len(outcomes) > 1 and all(outcomes) and all(word.casefold() in text for each in outcomes for word in each)
    }


def _words(value: Expression) -> list[str]:
    """Return the words that an expression may be; none for one that is worked out."""
    if isinstance(value, Chosen):
        return list(value.words.values())
    return [value.value] if isinstance(value, Const) and isinstance(value.value, str) else []


def _without(request: str, texts: list[str]) -> str:
    """Take out the answer's keys and the texts quoted from the data ('America/New_York'), where they stand alone."""
    for text in sorted(texts, key=len, reverse=True):
        request = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " ", request)
    return request


def _machine_names(environment: Environment, tools: list[Tool]) -> set[str]:
    """Return the names of tools, parameters, tables and columns."""
    names = {tool.name for tool in tools} | {table.name for table in environment.profile.tables}
    names |= {column.name for table in environment.profile.tables for column in table.columns}
    return names | {name for tool in tools for name in tool.input_schema.get("properties", {})}


def _opaque_constants(program: Program, environment: Environment, tools: list[Tool]) -> Iterator[str]:
    opaque = environment.profile.opaque_domains()
    by_name = {tool.name: tool for tool in tools}
    for call in calls_of(program.body):
        properties = by_name[call.tool].input_schema.get("properties", {}) if call.tool in by_name else {}
        for parameter, value in call.arguments.items():
            if isinstance(value, Const) and properties.get(parameter, {}).get("x-domain") in opaque:
                yield f"{call.tool}.{parameter}"


def calls_of(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Yield every call statement of a program's body, loops and branches included."""
    for statement in body:
        if isinstance(statement, Call):
            yield statement
        elif isinstance(statement, ForEach):
            yield from calls_of(statement.body)
        elif isinstance(statement, If):
            yield from calls_of(statement.then)
            yield from calls_of(statement.otherwise)
