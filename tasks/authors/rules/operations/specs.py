"""Specs of the tools of operations: what an agent sees of an action or a view, and what authors know of it."""

from __future__ import annotations

from schemas.operations import Action, Argument, Cell, Fixed, Given, Insert, Operations, Remove, View
from schemas.profiles import WorldProfile
from schemas.tools import Tool
from tasks.authors.rules.operations.limits import limits
from tasks.authors.rules.operations.walks import row_tables, tables_of_action, tables_of_view
from tasks.authors.rules.tools.names import parameter_name
from tasks.authors.rules.tools.schemas import (
    FORMS,
    JSON_TYPES,
    PATTERNS,
    Schema,
    object_schema,
    row_schema,
    sentence,
    value_schema,
    with_domain,
)

STATUS = "status"
"""The column that holds a row's state."""


def action_tool(profile: WorldProfile, operations: Operations, action: Action) -> Tool:
    """Return the spec of an action's tool; required arguments come first."""
    arguments = sorted(action.arguments, key=lambda argument: not argument.required)
    required = [argument.name for argument in arguments if argument.required]
    return Tool(
        name=action.name,
        description=action.description,
        operation=action.verb,
        read_only=False,
        input_schema=object_schema({a.name: argument_schema(profile, a) for a in arguments}, required),
        output_schema=row_schema(profile.table(row_tables(action)[action.returns])),
        intent={
            "table": action.table,
            "archetype": operations.archetype,
            "action": action.name,
            "from": starting_statuses(action),
            "to": ending_status(action),
            "host": operations.host,
            "host_key": operations.host_key,
            "refusals": refusals(action),
            "row": row_argument(action),
            "limits": limits(operations, action),
            "requests": list(action.requests),
            "draws": {a.name: a.draws for a in action.arguments if a.draws},
            "guards": len(action.guards),
            "tables": tables_of_action(action),
        },
    )


def view_tool(profile: WorldProfile, operations: Operations, view: View) -> Tool:
    """Return the spec of a view's tool: a row by its key, with its figures."""
    table = profile.table(view.table)
    words = table.column(table.key).words
    argument = value_schema(table, table.key, f"{words[:1].upper()}{words[1:]} to look up.")
    figures: dict[str, Schema] = {
        figure.name: {"type": "integer", "description": sentence(figure.description)} for figure in view.figures
    }
    return Tool(
        name=view.name,
        description=view.description,
        operation="get",
        read_only=True,
        input_schema=object_schema({parameter_name(table.key): with_domain(argument, table.domain(table.key))}),
        output_schema=row_schema(table, figures),
        intent={
            "table": view.table,
            "archetype": operations.archetype,
            "computed": {figure.name: figure.words for figure in view.figures},
            "tables": tables_of_view(view),
        },
    )


def argument_schema(profile: WorldProfile, argument: Argument) -> Schema:
    """Return the schema of one argument: a key has its table's domain, everything else its bounds."""
    if argument.key_of is not None:
        table = profile.table(argument.key_of)
        return with_domain(value_schema(table, table.key, argument.description), table.domain(table.key))
    form = FORMS.get(argument.type) if argument.type != "boolean" else None
    description = f"{argument.description.rstrip('.')}, {form}." if form else argument.description
    schema: Schema = {"type": JSON_TYPES[argument.type], "description": description}
    if argument.choices:
        schema["enum"] = list(argument.choices)
    elif argument.type == "boolean":
        schema["enum"] = [0, 1]
    elif argument.type == "text":
        schema["minLength"] = 1
        if argument.longest is not None:
            schema["maxLength"] = argument.longest
    elif argument.type in PATTERNS:
        schema["pattern"] = PATTERNS[argument.type]
    for bound, value in (("minimum", argument.minimum), ("maximum", argument.maximum)):
        if value is not None:
            schema[bound] = int(value) if argument.type == "integer" else value
    return schema


def is_checked(argument: Argument) -> bool:
    """Tell whether a value of the argument can be refused as such: a key is not found instead."""
    return argument.key_of is None


def refusals(action: Action) -> list[str]:
    """Return the codes with which a call can be refused."""
    codes = ["not_found"] if action.finds else []
    codes += ["invalid_argument"] if any(map(is_checked, action.arguments)) else []
    return list(dict.fromkeys([*codes, *(guard.code for guard in action.guards)]))


def row_argument(action: Action) -> str | None:
    """Return the argument that names the row which the action changes; None of a creation."""
    for found in action.finds:
        if found.bind == action.returns and isinstance(found.key, Given):
            return found.key.name
    return None


def starting_statuses(action: Action) -> list[str]:
    """Return the statuses that the row which the action is about may have; [] when any."""
    about = {found.bind for found in action.finds if found.table == action.table}
    for guard in action.guards:
        value = guard.value
        if isinstance(value, Cell) and value.column == STATUS and value.row in about and value.row == action.returns:
            if guard.one_of is not None:
                return [str(status) for status in guard.one_of]
            if guard.operator == "==" and isinstance(guard.than, Fixed):
                return [str(guard.than.value)]
    return []


def ending_status(action: Action) -> str | None:
    """Return the status that the returned row ends with; None when the action leaves it."""
    for effect in action.effects:
        if isinstance(effect, Remove):
            continue
        row = effect.bind if isinstance(effect, Insert) else effect.row
        value = effect.values.get(STATUS)
        if row == action.returns and isinstance(value, Fixed) and value.value is not None:
            return str(value.value)
    return None
