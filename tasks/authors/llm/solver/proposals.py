"""What a solver finishes with: an object with the announced fields of a task's answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

Announced = Mapping[str, Any]
"""A field of an answer as a briefing announces it: {name, type, description}, and where there are any item_type and unit."""

_JSON_TYPES = {"integer": "integer", "number": "number", "boolean": "boolean"}
_FORMS = {"date": "YYYY-MM-DD", "datetime": "YYYY-MM-DDTHH:MM:SS"}


def answer_type(fields: Sequence[Announced]) -> type[BaseModel]:
    """Make the schema of an answer with exactly these fields.

    It tells a model their types and holds it to their names alone: whether "12" will do for 12 is for the task's own
    checks to say, which compare by type, and not for a parser to mend or to refuse.
    """
    definitions: dict[str, Any] = {
        # Aliases, since a field may be called as no attribute of a model can be.
        f"field_{place}": (Annotated[Any, WithJsonSchema(_schema(field))], Field(alias=field["name"]))
        for place, field in enumerate(fields)
    }
    config = ConfigDict(extra="forbid")
    return create_model("FinalAnswer", __config__=config, __doc__="The answer to the request.", **definitions)


def answer_of(proposal: BaseModel) -> dict[str, Any]:
    """Return the answer that a proposal of an `answer_type` holds, as the model gave it."""
    return proposal.model_dump(by_alias=True)


def form_of(field: Announced) -> str:
    """Say in a few words what a field's value looks like: "list of date (YYYY-MM-DD), in days"."""
    kind = field.get("item_type") if field["type"] == "list" else field["type"]
    form = f"{kind or 'text'} ({_FORMS[kind]})" if kind in _FORMS else kind or "text"
    unit = f", in {field['unit']}" if field.get("unit") else ""
    return f"list of {form}{unit}" if field["type"] == "list" else f"{form}{unit}"


def _schema(field: Announced) -> dict[str, Any]:
    said = {"description": f"{field['description']} ({form_of(field)})"}
    if field["type"] == "list":
        return {"type": "array", "items": {"type": _json_type(field.get("item_type"))}, **said}
    return {"type": _json_type(field["type"]), **said}


def _json_type(kind: str | None) -> str:
    return _JSON_TYPES.get(kind or "text", "string")
