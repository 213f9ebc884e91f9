"""Tools of the diagnostician: read-only SQL, Python over a query's rows, and search where there is a provider."""

from __future__ import annotations

import json
from typing import Any

from tasks.authors.llm.diagnostician.evidence import Evidence, Rows
from tasks.authors.llm.model import ToolSpec
from tasks.authors.llm.react.loop import AgentTool, ToolFault
from tasks.authors.llm.scripting.running import run_script
from tasks.mining.search.provider import SearchProvider, SearchUnavailable
from tasks.world.session import World

MOST_SHOWN = 40
"""Rows of a query that a model is shown."""
MOST_ANALYSED = 20_000
"""Rows of a query that a model's Python is given."""
MOST_HITS = 5
_LONGEST_CELL = 400
_ROWS_FILE = "rows.json"


def tools_over(evidence: Evidence) -> list[AgentTool]:
    """Return the tools that the evidence has something behind."""
    tools = [_query_tool(evidence)]
    if evidence.sandbox is not None:
        tools.append(_python_tool(evidence, evidence.sandbox))
    if evidence.search is not None:
        tools.append(_search_tool(evidence.search))
    return tools


def _query_tool(evidence: Evidence) -> AgentTool:
    spec = _spec("query", f"Run one SELECT (DuckDB); shows at most {MOST_SHOWN} rows.", sql="the SELECT")

    def run(arguments: dict[str, Any]) -> str:
        return _listing(evidence.select(_text(arguments, "sql"), MOST_SHOWN + 1))

    return AgentTool(spec, run)


def _python_tool(evidence: Evidence, sandbox: World) -> AgentTool:
    spec = _spec(
        "run_python",
        f"Run Python (standard library) over the rows of a SELECT: load('{_ROWS_FILE}') is a list of dicts; print what you found.",
        sql="the SELECT whose rows are analysed",
        code="the Python",
    )

    def run(arguments: dict[str, Any]) -> str:
        rows = evidence.select(_text(arguments, "sql"), MOST_ANALYSED + 1)
        if len(rows) > MOST_ANALYSED:
            raise ToolFault(f"more than {MOST_ANALYSED} rows: let the SELECT count or filter more")
        done = run_script(sandbox, _text(arguments, "code"), {_ROWS_FILE: _dump(rows).encode()})
        if done.error:
            raise ToolFault(done.error)
        return done.printed or "nothing was printed"

    return AgentTool(spec, run)


def _search_tool(search: SearchProvider) -> AgentTool:
    spec = _spec("search", "Search for background on a tool or a topic.", query="a few words")

    def run(arguments: dict[str, Any]) -> str:
        try:
            hits = search.search(_text(arguments, "query"), MOST_HITS)
        except SearchUnavailable as unavailable:
            raise ToolFault(str(unavailable)) from unavailable
        return "\n".join(f"{hit.title} ({hit.address}): {hit.snippet}" for hit in hits) or "nothing was found"

    return AgentTool(spec, run)


def _spec(name: str, description: str, **parameters: str) -> ToolSpec:
    """Return a tool whose parameters are texts, all required."""
    properties = {key: {"type": "string", "description": said} for key, said in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters), "additionalProperties": False}
    return ToolSpec(name, description, schema)


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ToolFault(f"{name!r} must be a text")
    return value


def _listing(rows: Rows) -> str:
    """Return rows as a line of JSON each, long cells cut."""
    lines = [_dump({name: _cell(value) for name, value in row.items()}) for row in rows[:MOST_SHOWN]]
    if len(rows) > MOST_SHOWN:
        lines.append(f"more than {MOST_SHOWN} rows: the rest is not shown")
    return "\n".join(lines) or "no rows"


def _cell(value: Any) -> Any:
    text = value if isinstance(value, str) else _dump(value)
    return value if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
