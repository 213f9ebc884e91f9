"""A program as a chain of steps in words: what is looked up, decided and done, with no name of a tool or column.

A column is called what its tool's schema or the profile calls it, a document by its title; sizes of pages are left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Both,
    Call,
    Chosen,
    Compare,
    Condition,
    Const,
    Distinct,
    Expression,
    Filter,
    ForEach,
    If,
    Let,
    NewList,
    Ref,
    Refused,
    Round,
    Sort,
    Statement,
    Take,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.base import Setting
from tasks.authors.llm.writer.trials import Trial, is_page_size

_FOLDS = {
    "sum": "the sum of",
    "mean": "the mean of",
    "min": "the lowest of",
    "max": "the highest of",
    "pluck": "the list of",
}
_BOUNDS = {"min_": "at least", "max_": "at most"}
LONGEST_NAME = 60
"""Characters of a description that names a value; a longer one explains it."""
_COMPARATORS = {"==": "is", "!=": "is not", "<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least"}
_TYPES = {
    "integer": "whole number",
    "number": "number",
    "text": "text",
    "date": "date as YYYY-MM-DD",
    "datetime": "date and time as YYYY-MM-DDTHH:MM:SS",
    "boolean": "true or false",
}


@dataclass(frozen=True)
class Chain:
    """The lines of a program's steps, those of a loop or branch indented, and a line for each field of its answer."""

    steps: list[str]
    figures: list[str]


def tell(draft: TaskDraft, trial: Trial, setting: Setting) -> Chain:
    """Return a draft's program in words; calls are numbered in the order of the text."""
    teller = _Teller(setting, trial)
    steps = list(teller.block(draft.program.body, 0))
    values = draft.program.answer
    return Chain(
        steps, [f"{each.name} ({form(each)}): {teller.value(values[each.name])}" for each in draft.answer_fields]
    )


def form(field: AnswerField) -> str:
    """Return how a field's value is written."""
    if field.type == "list":
        order = "in order" if field.ordered else "in any order"
        return f"list, {order}, each item a {_TYPES[field.item_type or 'text']}"
    unit = f" in {field.unit}" if field.unit else ""
    decimals = f", rounded to {len(f'{field.tolerance:f}'.rstrip('0')) - 2} decimals" if 0 < field.tolerance < 1 else ""
    return f"{_TYPES[field.type]}{unit}{decimals}"


@dataclass(frozen=True)
class _Known:
    """What people would call a variable, the schema of its value, and the value where it is always the same."""

    words: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None


class _Teller:
    """Tells statements, and remembers what people would call their results."""

    def __init__(self, setting: Setting, trial: Trial) -> None:
        self._tools = {tool.name: tool for tool in setting.tools}
        self._profile = setting.environment.profile
        self._titles = {document.path: document.title for document in setting.environment.documents}
        self._trace = trial.gold.run.trace
        self._known: dict[str, _Known] = {}
        self._counts: Counter[str] = Counter()

    def block(self, body: Iterable[Statement], depth: int) -> Iterator[str]:
        """Yield the lines of some statements."""
        pad = "  " * depth
        for statement in body:
            match statement:
                case ForEach():
                    over, schema = self.value(statement.over), self._schema(statement.over).get("items", {})
                    self._known[statement.item] = _Known(f"the current {_plain(statement.item)}", schema)
                    yield f"{pad}For each of {over}, called {self._known[statement.item].words}:"
                    yield from self.block(statement.body, depth + 1)
                case If():
                    yield f"{pad}If {self._condition(statement.condition)}:"
                    yield from self.block(statement.then, depth + 1) if statement.then else [f"{pad}  nothing."]
                    if statement.otherwise:
                        yield f"{pad}Otherwise:"
                        yield from self.block(statement.otherwise, depth + 1)
                case NewList():
                    self._known[statement.bind] = _Known(self._numbered("list"))
                case Distinct():
                    continue
                case _:
                    yield pad + self._line(statement)

    def _line(self, statement: Statement) -> str:
        match statement:
            case Call():
                return self._call(statement)
            case Let():
                value = self.value(statement.value)
                self._known[statement.bind] = _Known(f"the {_plain(statement.bind)}", self._schema(statement.value))
                return f"Let {self._known[statement.bind].words} be {value}."
            case Append():
                record = [
                    f"{_spaced(name)} = {self.value(value)}" if name else self.value(value)
                    for name, value in statement.record.items()
                ]
                return f"Note on {self._words(statement.to)}: {', '.join(record)}."
            case Filter():
                text = f"those of {self.value(statement.over)} where {self._condition(statement.where)}"
            case Sort():
                by = [f"{_spaced(name)}, {'highest' if down else 'lowest'} first" for name, down in statement.by]
                text = f"{self.value(statement.over)} sorted by {' then '.join(by)}"
            case Take():
                text = f"the first {statement.count} of {self.value(statement.over)}"
            case _:
                raise TypeError(f"not a line: {statement!r}")
        chosen = self._numbered("selection")
        self._known[statement.bind] = _Known(chosen, self._schema(statement.over))
        return f"Take {text}: {chosen}."

    def _numbered(self, noun: str) -> str:
        self._counts[noun] += 1
        return f"{noun} {self._counts[noun]}"

    # --- calls ----------------------------------------------------------------------------

    def _call(self, call: Call) -> str:
        tool, step = self._tools[call.tool], self._numbered("step")
        given = "; ".join(self._given(tool, call.arguments))
        self._known[call.bind] = _Known(step, tool.output_schema, self._observation(call))
        told = f" ({given})" if given else ""
        refusable = " It may be refused." if call.may_refuse else ""
        return f"{step.removeprefix('step ')}. {_deed(tool)}{told}.{refusable}"

    def _given(self, tool: Tool, arguments: Mapping[str, Expression]) -> Iterator[str]:
        columns = self._columns(tool)
        for name, value in arguments.items():
            constant = value.value if isinstance(value, Const) else None
            if is_page_size(tool, name, constant):
                continue
            column, title = columns.get(str(constant)), self._title(value)
            yield f"{_parameter(name, columns)}: {column or title or self.value(value)}"

    def _columns(self, tool: Tool) -> Mapping[str, str]:
        """Return what the columns of a tool's table are called."""
        tables = [table for table in self._profile.tables if table.name == tool.intent.get("table")]
        return {column.name: column.words for table in tables for column in table.columns}

    def _observation(self, call: Call) -> Any:
        """Return what a call with constant arguments returned when the program ran."""
        if not all(isinstance(value, Const) for value in call.arguments.values()):
            return None
        arguments = {name: value.value for name, value in call.arguments.items() if isinstance(value, Const)}
        made = (step for step in self._trace if (step["tool"], step["arguments"]) == (call.tool, arguments))
        return next((step["observation"] for step in made), None)

    def _title(self, value: Expression) -> str | None:
        """Return the title in quotes of the document whose path a value is."""
        found: Any = self._known[value.name].value if isinstance(value, Ref) and value.name in self._known else None
        try:
            for step in value.path if isinstance(value, Ref) else ():
                found = found[step]
            return f"“{self._titles[found]}”"
        except (KeyError, IndexError, TypeError):
            return None

    # --- values ---------------------------------------------------------------------------

    def value(self, value: Expression) -> str:
        """Return a value in words."""
        match value:
            case Const():
                return _literal(value.value)
            case Ref():
                return _place(value.path, self._words(value.name), self._schema(Ref(name=value.name)))
            case Aggregate(function="count"):
                return f"the number of {self.value(value.over)}"
            case Aggregate():
                schema = self._schema(value.over).get("items", {})
                return f"{_FOLDS[value.function]} {_place(value.path, self.value(value.over), schema)}"
            case Arithmetic():
                return f"({self.value(value.left)} {value.operator} {self.value(value.right)})"
            case Round():
                return f"{self.value(value.value)}, rounded to {value.digits} decimals"
            case Chosen():
                words = ", ".join(f"“{word}” for {_spaced(code)}" for code, word in value.words.items())
                return f"the word for {self.value(value.value)} ({words})"
        raise TypeError(f"not a value: {value!r}")

    def _words(self, name: str) -> str:
        return self._known[name].words if name in self._known else "it" if name == "item" else _spaced(name)

    def _schema(self, value: Expression) -> Mapping[str, Any]:
        """Return the schema of a value that a tool returned, an empty one of any other."""
        schema = self._known[value.name].schema if isinstance(value, Ref) and value.name in self._known else {}
        for step in value.path if isinstance(value, Ref) else ():
            schema = _inner(schema, step)
        return schema

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Both():
                return " and ".join(self._condition(part) for part in condition.conditions)
            case Refused():
                return f"{self._words(condition.name)} was refused"
            case Compare():
                left, right = self.value(condition.left), self.value(condition.right)
                return f"{left} {_COMPARATORS[condition.operator]} {right}"
        raise TypeError(f"not a condition: {condition!r}")


def _deed(tool: Tool) -> str:
    """Return what a tool does: the first sentence of its description, of one that reads only its beginning."""
    sentence = tool.description.partition(". ")[0].rstrip(".")
    return re.split(r", | by | with ", sentence)[0] if tool.read_only else sentence


def _parameter(name: str, columns: Mapping[str, str]) -> str:
    """Return a parameter in words, by the column that it bounds where it is called after one."""
    for prefix, bound in _BOUNDS.items():
        if name.startswith(prefix):
            return f"{_parameter(name.removeprefix(prefix), columns)} {bound}"
    return columns.get(name, _spaced(name))


def _inner(schema: Mapping[str, Any], step: str | int) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (
        schema.get("items", {}) if isinstance(step, int) else schema.get("properties", {}).get(step, {})
    )
    return found


def _place(path: tuple[str | int, ...], base: str, schema: Mapping[str, Any]) -> str:
    """Return a place in a value in words, by the descriptions of its schema."""
    for step in path:
        schema = _inner(schema, step)
        described = re.split(r"[,;.]", schema.get("description", ""))[0].removeprefix("The ")
        short = described and schema.get("type") not in ("array", "object") and len(described) <= LONGEST_NAME
        word = described[:1].lower() + described[1:] if short else _spaced(str(step))
        base = f"no. {step + 1} of {base}" if isinstance(step, int) else f"the {word} of {base}"
    return base


def _plain(name: str) -> str:
    return _spaced(name.rstrip("_0123456789"))


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _literal(value: Any) -> str:
    """Return a literal; texts in quotes, so that it is seen that they are to be said as they are."""
    if isinstance(value, list):
        return ", ".join(_literal(each) for each in value)
    return f"“{value}”" if isinstance(value, str) else json.dumps(value)
