"""OpenAPI documents, version 2 (Swagger) and 3: the operations of their paths.

The verb follows from the method and the path: GET of a path that ends with a parameter gets one thing, of any other
lists them; POST to a collection creates; POST to a word behind a parameter ('/orders/{id}/cancel') is a transition.
The thing is the last fixed part of the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.themes import SourceParameter, Verb
from tasks.themes.lexicon import STATES, VERBS, is_plural, plain_text, singular, words_of
from tasks.themes.operations import Named
from tasks.themes.parameters import read_parameters, resolve
from tasks.themes.phrases import noun_of

_METHODS = ("get", "put", "post", "delete", "patch")
_LONGEST_TEXT = 1_000
_VERSIONS = re.compile(r"v\d+(\.\d+)*|api|rest|public|beta|latest", re.IGNORECASE)


def is_openapi(document: Any) -> bool:
    """Return whether a document says that it is OpenAPI or Swagger."""
    return isinstance(document, Mapping) and ("openapi" in document or "swagger" in document)


def read_operations(document: Mapping[str, Any], most: int) -> Iterator[Named]:
    """Yield the operations of a document's paths, at most `most`, as they stand."""
    paths = document.get("paths")
    left = most
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        shared = item.get("parameters") if isinstance(item, Mapping) else None
        for method in _METHODS:
            operation = item.get(method) if isinstance(item, Mapping) else None
            if isinstance(operation, Mapping) and left > 0:
                left -= 1
                yield _operation(document, str(path), method, operation, shared if isinstance(shared, list) else [])


def _operation(
    document: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any], shared: list[Any]
) -> Named:
    own = operation.get("parameters")
    parameters = _parameters(document, [*(own if isinstance(own, list) else []), *shared])
    verb, noun = _of_path(method, path)
    said = " ".join(str(operation.get(key) or "") for key in ("summary", "description"))
    return Named(
        name=plain_text(operation.get("operationId") or f"{method} {path}", 120),
        description=plain_text(said, _LONGEST_TEXT),
        parameters=[*parameters, *_body(document, operation)],
        returns=_returned(document, operation),
        verb="search" if verb == "list" and any(p.name in ("q", "query", "search") for p in parameters) else verb,
        noun=noun,
    )


def _of_path(method: str, path: str) -> tuple[Verb, str]:
    """Return what a method does to what a path names, in the singular."""
    parts = [part for part in path.strip("/").split("/") if part and not _VERSIONS.fullmatch(part)]
    fixed = [part for part in parts if "{" not in part]
    behind = bool(parts) and "{" not in parts[-1]
    last = words_of(fixed[-1]) if fixed else []
    acts = behind and len(last) > 0 and last[0] in VERBS and not is_plural(last[-1])
    if acts and len(fixed) > 1:
        word = last[0]
        noun, _ = noun_of(last[1:] or words_of(fixed[-2]), ())
        known = VERBS[word] if method != "get" or VERBS[word] in ("search", "aggregate", "top", "list") else "get"
        return ("transition" if word in STATES and method != "get" else known), noun
    noun, _ = noun_of(last, ())
    noun = noun or (singular("_".join(last)) if last else "")
    by_method: dict[str, Verb] = {"put": "update", "patch": "update", "delete": "delete", "post": "create"}
    if method == "get":
        return ("list" if behind and last and is_plural(last[-1]) else "get"), noun
    return by_method[method], noun


def _parameters(document: Mapping[str, Any], listed: list[Any]) -> list[SourceParameter]:
    """Return parameters of path and query; version 2 writes the schema into them, and the body as one of them."""
    found: dict[str, SourceParameter] = {}
    for entry in listed:
        entry = resolve(document, entry)
        if entry is None or not isinstance(entry.get("name"), str):
            continue
        if entry.get("in") == "body":
            inner = read_parameters({"properties": {"body": entry.get("schema")}}, document)
        elif entry.get("in") in ("path", "query", "formData"):
            schema = entry.get("schema") if isinstance(entry.get("schema"), Mapping) else entry
            described = {"description": entry.get("description"), "example": entry.get("example")}
            whole = {**{key: value for key, value in described.items() if value is not None}, "allOf": [schema]}
            needed = [entry["name"]] if entry.get("required") is True else []
            inner = read_parameters({"properties": {entry["name"]: whole}, "required": needed}, document)
        else:
            continue
        for parameter in inner:
            found.setdefault(parameter.name, parameter)
    return list(found.values())


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[SourceParameter]:
    body = resolve(document, operation.get("requestBody"))
    return read_parameters(_json_schema(body), document) if body is not None else []


def _returned(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[SourceParameter]:
    """Return the fields of the first successful response; of a list, those of what it lists."""
    responses = operation.get("responses")
    for status, response in responses.items() if isinstance(responses, Mapping) else ():
        found = resolve(document, response) if str(status).startswith("2") else None
        schema = found.get("schema") if found is not None and "schema" in found else _json_schema(found)
        if isinstance(schema, Mapping):
            fields = read_parameters(schema, document)
            return fields or read_parameters({"properties": {"items": schema}}, document)
    return []


def _json_schema(holder: Mapping[str, Any] | None) -> Any:
    """Return the schema of the first content that a body or a response can have."""
    content = holder.get("content") if holder is not None else None
    for medium in content.values() if isinstance(content, Mapping) else ():
        if isinstance(medium, Mapping):
            return medium.get("schema")
    return None
