"""A tool's page: what an agent sees of it, how it was tested, and where its inputs can come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.tools import TestOutcome, Tool, ToolEdge, ToolTest
from tasks.pages.markdown import as_json, code, page, table, text

LONGEST_VALUE = 160
DEEPEST = 3
"""Levels of an output schema that are told; what lies deeper is seen in an answer."""

Tested = tuple[ToolTest, TestOutcome | None]


def tool_page(tool: Tool, theme: str, tests: Sequence[Tested], edges: Sequence[ToolEdge]) -> str:
    """Return the page of one tool; `tests` and `edges` may be those of the whole environment."""
    own = [(test, outcome) for test, outcome in tests if test.tool == tool.name]
    passed = sum(outcome is not None and outcome.passed for _, outcome in own)
    return page(
        f"# Tool {code(tool.name)}",
        f"{'Reads' if tool.read_only else '**Writes**'}; operation {code(tool.operation)}; a tool of {code(theme)}.",
        text(tool.description, limit=2000),
        "## Takes",
        _schema(tool.input_schema) or "Nothing.",
        "## Returns",
        _schema(tool.output_schema) or "Nothing.",
        f"## Tests ({passed} of {len(own)} passed)",
        _tests(own),
        "## What can feed it",
        _edges([edge for edge in edges if edge.target == tool.name], "source"),
        "## What it can feed",
        _edges([edge for edge in edges if edge.source == tool.name], "target"),
    )


def _schema(schema: Mapping[str, Any]) -> str:
    rows = _fields(schema, "", 1)
    return table(("name", "type", "needed", "what it is"), rows) if rows else ""


def _fields(schema: Mapping[str, Any], prefix: str, depth: int) -> list[tuple[str, str, str, str]]:
    rows = []
    for name, field in schema.get("properties", {}).items():
        needed = "yes" if name in schema.get("required", ()) else "no"
        rows.append((code(prefix + name), text(_type(field)), needed, _meaning(field)))
        inner, below = (field.get("items", {}), "[]") if "items" in field else (field, "")
        if depth < DEEPEST and isinstance(inner, Mapping):
            rows += _fields(inner, f"{prefix}{name}{below}.", depth + 1)
    return rows


def _type(field: Mapping[str, Any]) -> str:
    kind = field.get("type", "any")
    kinds = " or ".join(kind) if isinstance(kind, list) else str(kind)
    items = field.get("items")
    if isinstance(items, Mapping) and kinds.split(" or ")[0] == "array":
        return f"{kinds} of {_type(items)}"
    return kinds


def _meaning(field: Mapping[str, Any]) -> str:
    told = [text(field["description"].rstrip("."))] if field.get("description") else []
    told += [f"one of {text(', '.join(map(str, field['enum'])))}"] if field.get("enum") else []
    told += [f"default {text(as_json(field['default']))}"] if "default" in field else []
    told += [f"{name} {text(field[name])}" for name in ("minimum", "maximum") if name in field]
    told += [f"value of {code(field['x-domain'])}"] if field.get("x-domain") else []
    return "; ".join(told)


def _tests(tests: Sequence[Tested]) -> str:
    if not tests:
        return "None."
    rows = [
        (text(test.name), test.case, _outcome(outcome), text(as_json(test.arguments), LONGEST_VALUE), _expected(test))
        for test, outcome in tests
    ]
    return table(("test", "case", "outcome", "arguments", "expects"), rows)


def _outcome(outcome: TestOutcome | None) -> str:
    if outcome is None:
        return "never ran"
    return "passed" if outcome.passed else f"**failed**: {text(outcome.detail)}"


def _expected(test: ToolTest) -> str:
    expect = test.expect
    if expect.error_code:
        return f"refusal {code(expect.error_code)}"
    told = [text(as_json(expect.result), LONGEST_VALUE)] if expect.result else []
    told += [f"changes {text(as_json(expect.changes), LONGEST_VALUE)}"] if expect.changes else []
    return "; ".join(told) or "that it works"


def _edges(edges: Sequence[ToolEdge], end: str) -> str:
    telling = [edge for edge in edges if edge.kind != "independent"]
    if not telling:
        return "No other tool."
    ranked = sorted(telling, key=lambda edge: (-edge.weight, getattr(edge, end), edge.parameter or ""))
    rows = [(code(getattr(e, end)), e.kind, code(e.parameter or ""), code(e.domain or "")) for e in ranked]
    return table(("tool", "edge", "parameter", "by the values of"), rows)
