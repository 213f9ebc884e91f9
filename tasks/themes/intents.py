"""Intents: which operations of a theme's source an environment's kept tools cover, operation by operation.

A tool serves an operation when it does the same (or the like: a list is a search) to the same entity's table. It
covers it when it also takes at least half of the parameters that narrow or state something. Of several the one that
takes most is meant. An honest measure: what runs, renders or sends is not covered, nor is what a tool cannot be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from schemas.intents import IntentCoverage
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import SourceOperation, SourceParameter, Theme
from schemas.tools import Tool
from tasks.mining.entities.concepts import concepts

LIKE: dict[str, tuple[str, ...]] = {
    "get": ("get", "search", "list"),
    "search": ("search", "list"),
    "list": ("list", "search"),
    "aggregate": ("aggregate",),
    "top": ("top", "search"),
    "create": ("create",),
    "update": ("update", "transition"),
    "transition": ("transition", "update"),
    "delete": ("delete",),
    "other": (),
}
"""Verb → the tools' operations that do it, the closest first."""

ENOUGH = 0.5
"""Share of an operation's parameters that a tool must take."""

_ASIDE = frozenset(
    """limit page offset cursor count per_page page_size pagesize max_results num_results n results size max_items top_k
    format output_format response_format verbose fields include expand raw pretty full_data full_detail timeout
    api_key apikey token access_token api_token auth auth_token password secret secret_key passphrase client_id
    client_secret credentials session_token private_key connection_string bearer headers user_agent proxy
    start_index start_row end_row items_per_page starting_after next_token page_token continuation skip take
    random_string dummy no_cache use_cache refresh include_schemas custom_token custom_instance_id""".split()
)
"""Parameters that narrow and state nothing: paging, formats, credentials."""

_TEXTS = frozenset(
    "query q search keyword keywords term text search_term search_query pattern phrase question filter".split()
)
_FIRST = frozenset(
    "start_date start from since after begin date_from start_time from_date startdate period1 min_date".split()
)
_LAST = frozenset("end_date end to until before date_to end_time to_date enddate period2 max_date".split())
_ORDERS = frozenset("sort sort_by order order_by sort_order sort_field sorts direction orderby descending".split())
_OLD = frozenset("source source_path old_name old_path from_path src".split())
_NEW = frozenset("destination destination_path new_name new_path new_title dest target_path to_path rename_to".split())
"""What a thing to be moved or renamed is called before and afterwards."""
_KEYS = frozenset("id ids key uuid slug number name identifier code path".split())
_SAYS_NOTHING = frozenset(
    "id ids name key number new value filter the by of min max contains list target current".split()
)


def intent_coverage(theme: Theme, tools: Sequence[Tool], profile: WorldProfile) -> list[IntentCoverage]:
    """Return a row for each operation of the theme's source, in its order; `tools` are those that the gate kept."""
    return [_covered(operation, tools, profile) for operation in theme.operations]


def serves(operation: SourceOperation, tool: Tool) -> bool:
    """Tell whether a tool does what an operation does, or the like, to the same entity."""
    return (
        bool(operation.entity)
        and tool.intent.get("table") == operation.entity
        and tool.operation in LIKE[operation.verb]
    )


def telling(parameters: Iterable[SourceParameter]) -> list[SourceParameter]:
    """Return the parameters that narrow or state something."""
    return [parameter for parameter in parameters if snake(parameter.name) not in _ASIDE]


def matched(operation: SourceOperation, tool: Tool, table: TableProfile) -> list[str]:
    """Return the names of the operation's telling parameters that the tool takes, under whatever name."""
    arguments = list(tool.input_schema.get("properties", {}))
    found: list[str] = []
    used: set[str] = set()
    for parameter in telling(operation.parameters):
        argument = next((a for a in arguments if a not in used and _same(parameter, a, operation, tool, table)), None)
        if argument is not None:
            used.add(argument)
            found.append(parameter.name)
    return found


def snake(name: str) -> str:
    """Return a source's name as snake_case: 'createNote', 'create-note' and 'Create Note' are 'create_note'."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rsplit(".", 1)[-1])
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")


def _covered(operation: SourceOperation, tools: Sequence[Tool], profile: WorldProfile) -> IntentCoverage:
    row = IntentCoverage(
        operation=operation.name,
        verb=operation.verb,
        entity=operation.entity,
        parameters=len(telling(operation.parameters)),
    )
    why = _reason(operation, tools, profile)
    if why:
        return row.model_copy(update={"why": why})
    table = profile.table(operation.entity)
    able = [tool for tool in tools if serves(operation, tool)]
    order = LIKE[operation.verb]
    best = max(able, key=lambda t: (len(matched(operation, t, table)), -order.index(t.operation)))
    taken = len(matched(operation, best, table))
    covered = taken >= ENOUGH * row.parameters
    why = "" if covered else f"takes {taken} of {row.parameters} parameters"
    return row.model_copy(update={"tool": best.name, "matched": taken, "covered": covered, "why": why})


def _reason(operation: SourceOperation, tools: Sequence[Tool], profile: WorldProfile) -> str:
    """Return why no tool serves an operation; empty when one does."""
    if operation.verb == "other":
        return "nothing that a database answers"
    if not operation.entity:
        return "about no entity"
    if operation.entity not in {table.name for table in profile.tables}:
        return "its entity is no table"
    return "" if any(serves(operation, tool) for tool in tools) else f"no tool does {operation.verb}"


def _same(
    parameter: SourceParameter, argument: str, operation: SourceOperation, tool: Tool, table: TableProfile
) -> bool:
    """Tell whether a tool's argument is what a parameter is, by names, by what they name, and by concepts."""
    name = snake(parameter.name)
    if name == argument:
        return True
    if name in _ORDERS:
        return argument in ("sort_by", "measure", "descending")
    if name in _TEXTS:
        return argument.endswith("_contains")
    if name in _FIRST or name in _LAST:
        return argument.startswith("min_" if name in _FIRST else "max_") and _is_time(table, argument)
    if tool.operation == "update" and name in _NEW:
        return argument in (table.label, "path", "name", "title")
    if tool.operation == "update" and name in _OLD:
        return argument == table.key
    own = argument == table.key or argument == f"{table.key}_"
    if own and _names_row(name, table):
        return True
    return _alike(name, argument) or _of_one_concept(name, argument)


def _is_time(table: TableProfile, argument: str) -> bool:
    column = argument.split("_", 1)[1]
    return any(c.name == column and c.role == "time" for c in table.columns)


def _names_row(name: str, table: TableProfile) -> bool:
    """Tell whether a parameter names a row of the table: id, issue_key, issue."""
    noun = set(snake(table.singular).split("_"))
    parts = set(name.split("_"))
    return name in _KEYS or (parts <= noun | _KEYS and bool(parts & noun)) or name == table.label


def _alike(name: str, argument: str) -> bool:
    """Tell whether two names share what they say, and one says no more than the other."""
    one, other = ({_single(p) for p in n.split("_") if p not in _SAYS_NOTHING} for n in (name, argument))
    return bool(one and other) and (one <= other or other <= one)


def _single(part: str) -> str:
    return part[:-1] if part.endswith("s") and len(part) > 3 and not part.endswith("ss") else part


def _of_one_concept(name: str, argument: str) -> bool:
    said = _concept(name)
    return said is not None and said == _concept(argument.removesuffix("_contains"))


@cache
def _concept(name: str) -> str | None:
    """Return the concept whose words have a name; None when none has, or it says little by itself."""
    vague = {"name", "title", "number", "text", "category", "id", "reference", "code", "date", "datetime"}
    for concept, entry in concepts().items():
        if concept not in vague and name in entry["words"]:
            return concept
    return None
