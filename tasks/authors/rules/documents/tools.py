"""The document tools of an environment: which its files allow, their specs, and their source as a block of a module.

The source is that of `runtime/`, whose functions are tools in the house's form: what they say of themselves, specs say.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from itertools import pairwise
from types import ModuleType
from typing import Any

from schemas.documents import Document, DocumentFormat
from schemas.environments import Environment
from schemas.tools import Operation, Tool
from tasks.authors.rules.documents.runtime import calls, editing, reading
from tasks.authors.rules.tools.schemas import Schema, object_schema
from tasks.world import plain_yaml

PATH_DOMAIN = "documents.path"
DOCUMENT_IMPORTS = (
    "import csv",
    "import html",
    "import io",
    "import json",
    "import re",
    "import sqlite3",
    "from html.parser import HTMLParser",
    "from typing import Any, NamedTuple",
)
"""What the block needs at the top of its module."""
OPERATIONS: dict[str, Operation] = {
    "list_documents": "list",
    "read_document": "get",
    "search_documents": "search",
    "set_document_value": "update",
    "update_document_row": "update",
    "append_document_row": "create",
    "replace_document_section": "update",
    "run_document_query": "list",
}
"""Tool → its operation, in the order of the module."""
_OPTIONAL = {("list_documents", "format"), ("read_document", "part")}
EDITS: dict[str, tuple[DocumentFormat, ...]] = {
    "set_document_value": ("json", "yaml"),
    "update_document_row": ("csv",),
    "append_document_row": ("csv",),
    "replace_document_section": ("md", "html", "tex"),
}
"""Tool that edits → formats that it edits."""
_REFUSALS = ["not_found", "invalid_argument"]
_SCALAR = ["string", "number", "boolean"]
_PATH: Schema = {"type": "string", "x-domain": PATH_DOMAIN}
_ROW: Schema = {"type": "object", "description": "A row: value by column."}
_ROWS: Schema = {"type": "array", "items": _ROW, "description": "Rows of a table."}
_SECTION = object_schema(
    {
        "heading": {"type": "string", "description": "The heading; empty for what comes before the first one."},
        "text": {"type": "string", "description": "What the section says, without its tables."},
        "rows": _ROWS,
    }
)
_STATEMENT = object_schema(
    {
        "name": {"type": "string", "description": "Name of the statement."},
        "about": {"type": "string", "description": "The comments before it."},
        "text": {"type": "string", "description": "The statement."},
    }
)


def document_tools(environment: Environment) -> list[Tool]:
    """Return the tools that an environment's documents allow, in the module's order; none without documents."""
    documents = environment.documents
    if not documents:
        return []
    names = ["list_documents", "read_document", "search_documents"]
    names += [name for name in EDITS if any(d.editable and d.format in EDITS[name] for d in documents)]
    names += ["run_document_query"] if any(document.format == "sql" for document in documents) else []
    return [_tool(name, documents) for name in names]


def _tool(name: str, documents: list[Document]) -> Tool:
    said, arguments = _docstring(getattr(calls, name))
    schemas = _inputs(documents)[name]
    properties = {argument: {**schema, "description": arguments[argument]} for argument, schema in schemas.items()}
    return Tool(
        name=name,
        description=said,
        operation=OPERATIONS[name],
        read_only=name not in EDITS,
        input_schema=object_schema(properties, [a for a in properties if (name, a) not in _OPTIONAL]),
        output_schema=_output(name),
        intent={
            "documents": True,
            "table": "",
            "action": name,
            "tables": [],
            "host": "",
            "host_key": "",
            "from": [],
            "to": None,
            "refusals": [*_REFUSALS, *(["read_only"] if name in EDITS else [])] if schemas else [],
            "requests": [],
            "draws": {},
            "guards": 0,
            "filters": {},
        },
    )


def _docstring(function: Any) -> tuple[str, dict[str, str]]:
    """Return a function's description and its arguments', from a docstring in the Google form."""
    text = inspect.getdoc(function) or ""
    said, _, arguments = text.split("\n\nReturns:")[0].partition("\n\nArgs:\n")
    entries = re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", arguments, re.M)
    return " ".join(said.split()), {name: " ".join(words.split()) for name, words in entries}


def _inputs(documents: list[Document]) -> dict[str, dict[str, Schema]]:
    """Return tool → argument → schema without its description."""
    path, line = _PATH, {"type": "string", "minLength": 1, "maxLength": 200}
    cell = {"type": ["string", "number"], "maxLength": 400}
    return {
        "list_documents": {"format": {"type": "string", "enum": sorted({d.format for d in documents})}},
        "read_document": {"path": path, "part": line},
        "search_documents": {"text": {"type": "string", "minLength": 1, "maxLength": 100}},
        "set_document_value": {"path": path, "part": line, "value": {"type": _SCALAR, "maxLength": 400}},
        "update_document_row": {"path": path, "row": line, "column": line, "value": cell},
        "append_document_row": {"path": path, "cells": {"type": "array", "items": cell, "minItems": 1}},
        "replace_document_section": {
            "path": path,
            "heading": line,
            "text": {"type": "string", "minLength": 1, "maxLength": 4000},
        },
        "run_document_query": {"path": path, "name": line},
    }


def _output(name: str) -> Schema:
    path = {**_PATH, "description": "Path of the document."}
    title = {"type": "string", "description": "Title of the document."}
    form = {"type": "string", "description": "Format of the document."}
    match name:
        case "list_documents":
            about = {"type": "string", "description": "What it is about."}
            editable = {"type": "boolean", "description": "Whether it may be changed."}
            entry = {"path": path, "title": title, "format": form, "about": about, "editable": editable}
            return object_schema({"items": {"type": "array", "items": object_schema(entry)}})
        case "read_document":
            parts: dict[str, Schema] = {
                "value": {"description": "The value (json, yaml)."},
                "columns": {"type": "array", "items": {"type": "string"}, "description": "The columns (csv)."},
                "rows": {**_ROWS, "description": "The rows (csv)."},
                "sections": {"type": "array", "items": _SECTION, "description": "The sections (md, html, tex)."},
                "statements": {"type": "array", "items": _STATEMENT, "description": "The statements (sql)."},
            }
            return object_schema({"path": path, "title": title, "format": form, **parts}, ["path", "title", "format"])
        case "search_documents":
            part = {"type": "string", "description": "Name of the part, as reading a document takes it."}
            hit = {"path": path, "title": title, "part": part, "excerpt": {"type": "string", "description": "Excerpt."}}
            total = {"type": "integer", "description": "Number of parts found."}
            return object_schema({"items": {"type": "array", "items": object_schema(hit)}, "total": total})
        case "set_document_value":
            part = {"type": "string", "description": "Dotted path of the value."}
            return object_schema({"path": path, "part": part, "value": {"type": _SCALAR, "description": "The value."}})
        case "replace_document_section":
            return object_schema({"path": path, "section": _SECTION})
        case "run_document_query":
            more = {"type": "boolean", "description": "Whether there are more rows."}
            title = {"type": "string", "description": "Name of the statement."}
            return object_schema({"path": path, "name": title, "rows": _ROWS, "more": more})
    return object_schema({"path": path, "row": _ROW})


# --- the source -----------------------------------------------------------------------------


def document_source(environment: Environment, tools: list[Tool]) -> str:
    """Return the source of the document tools among `tools`, to stand in a module below `DOCUMENT_IMPORTS`; "" of none."""
    wanted = {tool.name for tool in tools if tool.intent.get("documents")}
    if not wanted:
        return ""
    yaml = _renamed(list(_definitions(plain_yaml)), plain_yaml)
    blocks = [*yaml, *_definitions(reading), *_definitions(editing)]
    for block in _definitions(calls):
        name = re.match(r"def (\w+)|(_DOCUMENTS): ", block)
        if name and name[2]:
            blocks.insert(0, _listing(environment.documents))
        elif not (name and name[1] in OPERATIONS) or name[1] in wanted:
            blocks.append(block)
    return _joined(blocks)


def _definitions(module: ModuleType) -> Iterable[str]:
    """Yield the source of each statement of a module, without its docstring and imports."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    for node in ast.parse(source).body[1:]:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            yield "\n".join(lines[first - 1 : node.end_lineno])


def _renamed(blocks: list[str], module: ModuleType) -> list[str]:
    """Return the blocks of the plain subset of YAML under names that no other part of a module has."""
    names = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    names += [name for name in vars(module) if re.fullmatch("[A-Z]+", name)]
    pattern = re.compile(rf"(?<![\w.'\"-])(?:{'|'.join(sorted(names, key=len, reverse=True))})\b(?!['\"])")

    def rename(found: re.Match[str]) -> str:
        name = found[0]
        if name == "parse":
            return "_document_yaml"
        return f"_DOCUMENT_YAML_{name}" if name.isupper() else f"_document_yaml_{name.lstrip('_')}"

    return [pattern.sub(rename, block) for block in blocks]


def _listing(documents: list[Document]) -> str:
    """Return the constant that tells the tools of the documents, by path."""
    entries = [
        f"    {d.path!r}: ({d.format!r}, {d.title!r}, {d.about!r}, {d.editable!r}),"
        for d in sorted(documents, key=lambda d: d.path)
    ]
    head = "_DOCUMENTS: dict[str, tuple[str, str, str, bool]] = {"
    return "\n".join(
        [head, *entries, "}", '"""Path of each document → its format, title, what it is about, editable."""']
    )


def _joined(blocks: list[str]) -> str:
    """Return the blocks, two empty lines around definitions and none between constants."""
    text = blocks[0]
    for before, block in pairwise(blocks):
        apart = block.startswith(("def ", "class ")) or before.startswith(("def ", "class "))
        text += ("\n\n\n" if apart else "\n") + block
    return text
