"""What the coder and the tester may call while they work: a query on the world's database."""

from __future__ import annotations

import json
from typing import Any

from tasks.authors.llm.coder.queries import Queries, QueryRefused
from tasks.authors.llm.model import ToolSpec
from tasks.authors.llm.react.loop import AgentTool, ToolFault

MOST_ROWS = 20
QUERY = ToolSpec(
    name="query",
    description=f"Run one SQLite SELECT on the database and see its rows, at most {MOST_ROWS}. Nothing can be changed.",
    parameters={
        "type": "object",
        "properties": {"sql": {"type": "string", "description": f"one SELECT, with LIMIT {MOST_ROWS} or less"}},
        "required": ["sql"],
        "additionalProperties": False,
    },
)


def query_tool(queries: Queries) -> AgentTool:
    """Return the tool `query`; its result is one JSON object a row."""

    def run(arguments: dict[str, Any]) -> str:
        sql = arguments.get("sql")
        if not isinstance(sql, str):
            raise ToolFault("sql must be a text")
        try:
            rows = queries.rows(sql, {}, MOST_ROWS, fixed=False)
        except QueryRefused as refused:
            raise ToolFault(str(refused)) from refused
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) or "no rows"

    return AgentTool(QUERY, run)
