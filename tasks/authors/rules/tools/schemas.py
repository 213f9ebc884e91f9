"""JSON Schemas of tools, from a world's profile: draft 2020-12, no $ref, domains as `x-domain`."""

from __future__ import annotations

from typing import Any

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile

Schema = dict[str, Any]

JSON_TYPES = {
    "integer": "integer",
    "boolean": "integer",
    "number": "number",
    "money": "number",
    "text": "string",
    "date": "string",
    "datetime": "string",
}
PATTERNS = {"date": r"^\d{4}-\d{2}-\d{2}$", "datetime": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$"}
FORMS = {"date": "as YYYY-MM-DD", "datetime": "as YYYY-MM-DDTHH:MM:SS", "boolean": "1 for yes, 0 for no"}
MOST_CATEGORIES = 30


def worded(column: ColumnProfile) -> str:
    """Return the column's words with its unit: 'departure delay in minutes'."""
    has_unit = column.unit is not None and column.unit not in column.words
    return f"{column.words} in {column.unit}" if has_unit else column.words


def sentence(text: str, *details: str | None) -> str:
    """Return `text`, and the details after commas, as one sentence with a capital and a full stop."""
    whole = ", ".join([text, *[detail for detail in details if detail]])
    return f"{whole[0].upper()}{whole[1:]}."


def object_schema(properties: dict[str, Schema], required: list[str] | None = None) -> Schema:
    """Return a closed object; all properties are required unless `required` says which."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def with_domain(schema: Schema, domain: str | None) -> Schema:
    """Return the schema, marked with the domain its value draws from, if any."""
    return {**schema, "x-domain": domain} if domain else schema


def value_schema(table: TableProfile, name: str, description: str) -> Schema:
    """Return the schema of an argument that is compared with a column."""
    column = table.column(name)
    schema: Schema = {"type": JSON_TYPES[column.type], "description": description}
    if column.type == "boolean":
        schema["enum"] = [0, 1]
    elif column.role == "category" and column.type == "text" and 0 < len(column.categories) <= MOST_CATEGORIES:
        schema["enum"] = list(column.categories)
    if column.type in PATTERNS:
        schema["pattern"] = PATTERNS[column.type]
    return schema


def cell_schema(table: TableProfile, name: str) -> Schema:
    """Return the schema of a column's value in a result."""
    column = table.column(name)
    kind = JSON_TYPES[column.type]
    schema: Schema = {
        "type": [kind, "null"] if column.nullable else kind,
        "description": sentence(worded(column), FORMS.get(column.type)),
    }
    return with_domain(schema, table.domain(name))


def row_schema(table: TableProfile, extra: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of a whole row, with `extra` computed properties behind its columns."""
    cells = {column.name: cell_schema(table, column.name) for column in table.columns}
    return object_schema({**cells, **(extra or {})})


def brief_schema(table: TableProfile, brief: tuple[str, ...], asked_for: tuple[str, ...]) -> Schema:
    """Return the schema of a short record: always `brief`, and of `asked_for` the one a call names."""
    cells = {name: cell_schema(table, name) for name in dict.fromkeys((*brief, *asked_for))}
    return object_schema(cells, list(brief))


def page_schema(item: Schema) -> Schema:
    """Return the schema of one page of short records."""
    return object_schema(
        {
            "items": {"type": "array", "items": item, "description": "The records of this page."},
            "total": {"type": "integer", "description": "Number of records on all pages."},
            "next_offset": {
                "type": ["integer", "null"],
                "description": "The offset of the next page; null on the last one.",
            },
        }
    )


def groups_schema() -> Schema:
    """Return the schema of an aggregate's groups."""
    group = object_schema(
        {
            "group": {
                "type": ["string", "integer", "number", "null"],
                "description": "The value that the group shares.",
            },
            "value": {"type": ["number", "null"], "description": "The figure; null when no record has the measure."},
            "rows": {"type": "integer", "description": "Number of records in the group."},
        }
    )
    return object_schema(
        {"groups": {"type": "array", "items": group, "description": "Highest value first, at most 50."}}
    )


def items_schema(item: Schema) -> Schema:
    """Return the schema of a ranking."""
    return object_schema({"items": {"type": "array", "items": item, "description": "The records, in order of rank."}})


def root_domains(profile: WorldProfile) -> dict[str, str]:
    """Return the domain of each key that is another table's key too → that one's, by the last step of the chain.

    A row that extends another one is known by its key: what leads to the one leads to the other.
    """
    steps = {f"{t.name}.{t.key}": t.domain(t.key) or "" for t in profile.tables}
    roots = {}
    for domain in steps:
        seen, root = {domain}, steps[domain]
        while steps.get(root, root) not in (root, *seen):
            seen.add(root)
            root = steps[root]
        if root != domain:
            roots[domain] = root
    return roots


def with_roots(schema: Schema, roots: dict[str, str]) -> Schema:
    """Return a schema whose domains are root domains, at any depth."""
    changed: Schema = {}
    for name, value in schema.items():
        if name == "x-domain":
            changed[name] = roots.get(value, value)
        elif name == "properties":
            changed[name] = {key: with_roots(child, roots) for key, child in value.items()}
        else:
            changed[name] = with_roots(value, roots) if name == "items" else value
    return changed
