"""Tool documents as sources of themes: lists of functions for a model, and OpenAPI; the topic is inferred back from the tools.

Functions come as OpenAI writes them ({"type": "function", "function": {…}}, or the function itself, strict or not) or
with an `input_schema`. OpenAPI comes as json or yaml and says its title itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from schemas.themes import Theme
from tasks.mining.library.names import and_list, title_of
from tasks.themes.findings import Finding, Refusal, RefusalReason
from tasks.themes.lexicon import plain_text, plural, spoken
from tasks.themes.operations import Named, understand
from tasks.themes.phrases import brands_of
from tasks.themes.reading import Described, read_theme
from tasks.themes.sources.bounds import Bounds, TooLarge, read_bounded
from tasks.themes.sources.evidence import evidence_of
from tasks.themes.sources.mcp import named_tool
from tasks.themes.sources.openapi import is_openapi, read_operations

_MOST_NAMED = 3
_SAYS_NOTHING = frozenset(
    "tool tools function functions api openapi swagger spec schema definitions openai document".split()
)


def read_tool_document(path: Path, bounds: Bounds, licence: str, name: str | None = None) -> Finding:
    """Return the theme of a tool document, or why it gives none; UsageError for a file that cannot be read."""

    def refused(reason: RefusalReason, detail: str) -> Finding:
        return Finding([], [Refusal(name or path.name, path.name, reason, detail)])

    try:
        text = read_bounded(path, bounds.document_bytes).decode("utf-8", "replace")
    except TooLarge as error:
        return refused("too_large", str(error))
    document = _parsed(text)
    if document is None:
        return refused("unreadable", "neither json nor yaml")
    if is_openapi(document):
        operations = list(read_operations(document, bounds.tools))
        stated, overview, stated_licence = _information(document)
    else:
        operations = [named for tool in _tools(document)[: bounds.tools] if (named := named_tool(tool)) is not None]
        stated, overview, stated_licence = "", "", ""
    if not operations:
        return refused("no_tools", "neither a list of functions nor an OpenAPI document with paths")
    said = stated_licence if licence == "unknown" and stated_licence else licence
    evidence = evidence_of("tool_document", path.name, text, said)
    title = name or stated or infer_title(path, operations)
    found = read_theme(Described(title, overview or infer_overview(title, operations), operations, evidence, "tools"))
    return Finding([found]) if isinstance(found, Theme) else Finding([], [found])


def _parsed(text: str) -> Any:
    """Return a document of json or else yaml; None for neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _information(document: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the title, the description and the licence that an OpenAPI document states."""
    information = document.get("info")
    if not isinstance(information, Mapping):
        return "", "", ""
    licence = information.get("license")
    tags = document.get("tags")
    tagged = [tag for tag in tags if isinstance(tag, Mapping)] if isinstance(tags, list) else []
    said = [information.get("description"), *(tag.get("description") for tag in tagged)]
    overview = " ".join(plain_text(text, 2_000) for text in said if text)
    name = plain_text(licence.get("name"), 80) if isinstance(licence, Mapping) else ""
    return plain_text(information.get("title"), 120), overview, name


def _tools(document: Any) -> list[Any]:
    """Return the functions of a document: a list, or one under 'tools' or 'functions'; what wraps them is taken off."""
    listed = document
    if isinstance(document, Mapping):
        listed = next((document[key] for key in ("tools", "functions") if key in document), [document])
    if not isinstance(listed, list):
        return []
    return [
        one["function"] if isinstance(one, Mapping) and isinstance(one.get("function"), Mapping) else one
        for one in listed
    ]


def infer_title(path: Path, operations: Sequence[Named]) -> str:
    """Return what tools are about: the name that they share ('spotify_search' …), the file's, or their things."""
    names = [one.name for one in operations]
    brands = brands_of("", names, "")
    firsts = Counter(word for name in names for word in name.replace("-", "_").replace(".", "_").lower().split("_")[:1])
    shared = [word for word, times in firsts.items() if word in brands and times * 2 > len(names)]
    if shared:
        return title_of(shared[0])
    stem = path.name.partition(".")[0]
    words = [word for word in stem.replace("-", "_").lower().split("_") if word and word not in _SAYS_NOTHING]
    return title_of(" ".join(words)) if words else title_of(and_list(_things(operations)))


def infer_overview(title: str, operations: Sequence[Named]) -> str:
    """Return a sentence that says what tools are for, by the things that they are about."""
    things = _things(operations)
    return f"{title}: tools for {and_list(things)}." if things else f"{title}."


def _things(operations: Sequence[Named]) -> list[str]:
    often = Counter(one.noun for one in understand("", "", operations) if one.noun)
    ranked = sorted(often, key=lambda noun: (-often[noun], noun))
    return [spoken(plural(noun)) for noun in ranked[:_MOST_NAMED]] or ["tools"]
