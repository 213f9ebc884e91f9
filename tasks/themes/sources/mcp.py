"""MCP servers as sources of themes: a live one, an entry of a registry, and lists of servers with their tools.

A list is json or json lines (.gz too): objects with a name, an overview (or description) and tools as the protocol lists
them. A registry's entry (server.json of the MCP registry) names no tools, only where the server is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.errors import UsageError
from schemas.identity import canonical_json
from schemas.themes import Evidence, Theme
from tasks.themes.findings import Finding, Refusal
from tasks.themes.lexicon import plain_text
from tasks.themes.operations import Named
from tasks.themes.parameters import read_parameters
from tasks.themes.reading import Described, read_theme
from tasks.themes.sources.bounds import Bounds, TooLarge, read_bounded
from tasks.themes.sources.evidence import evidence_of
from tasks.themes.sources.mcp_client import NoListing, list_tools

_LONGEST_OVERVIEW = 4_000
_LONGEST_TOOL_TEXT = 2_000
_LONGEST_NAME = 120


def read_live(target: str | Sequence[str], bounds: Bounds, licence: str, name: str | None = None) -> Finding:
    """Return the theme of a live server, at an address or started by a command, or why it gives none."""
    address = target if isinstance(target, str) else " ".join(target)
    try:
        listing = list_tools(target, bounds)
    except NoListing as error:
        return Finding([], [Refusal(name or address, address, error.reason, str(error))])
    record = {"name": listing.name, "version": listing.version, "tools": listing.tools}
    found = _theme(
        title=name or listing.name or address,
        overview=listing.instructions,
        tools=listing.tools,
        evidence=evidence_of("mcp_server", address, canonical_json(record), licence),
    )
    finding = _finding([found])
    return Finding(finding.themes, finding.refusals, notes=[f"{address}: {note}" for note in listing.notes])


def read_list(path: Path, bounds: Bounds, licence: str, *, live: bool = False, most: int | None = None) -> Finding:
    """Return the themes of a document's servers, the first `most` of them; with `live`, entries without tools are asked.

    Raises UsageError for a file that cannot be read or holds neither servers nor tools.
    """
    try:
        text = read_bounded(path, bounds.document_bytes).decode("utf-8", "replace")
    except TooLarge as error:
        return Finding([], [Refusal(path.name, path.name, "too_large", str(error))])
    if ".jsonl" in path.suffixes or ".ndjson" in path.suffixes:
        lines = [line for line in text.splitlines() if line.strip()]
        entries: list[Any] = [_parsed(line) for line in lines]
    else:
        whole = _parsed(text)
        if isinstance(whole, ValueError):
            raise UsageError(f"{path} is no json: {whole}. Give a list of servers: factory discover mcp servers.jsonl")
        entries = _entries(whole)
    if not entries:
        raise UsageError(f"{path} names no server. Give a list of servers: factory discover mcp servers.jsonl")
    several = len(entries) > 1
    results = [
        _from_entry(entry, f"{path.name}#{number}" if several else path.name, bounds, licence, live)
        for number, entry in enumerate(entries[:most], start=1)
    ]
    return _finding(results)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return ValueError("it is nested too deeply")
    except ValueError as error:
        return error


def _entries(whole: Any) -> list[Any]:
    """Return the servers of a document: a list, one under 'servers', one server, or the tools of one."""
    if isinstance(whole, list):
        tools = whole and all(isinstance(entry, Mapping) and _schema_of(entry) is not None for entry in whole)
        return [{"tools": whole}] if tools else whole
    if isinstance(whole, Mapping):
        listed = whole.get("servers")
        return listed if isinstance(listed, list) else [whole.get("result", whole)]
    return [whole]


def _from_entry(entry: Any, address: str, bounds: Bounds, licence: str, live: bool) -> Theme | Refusal:
    if not isinstance(entry, Mapping):
        what = str(entry) if isinstance(entry, ValueError) else f"a {type(entry).__name__}, not an object"
        return Refusal(address, address, "unreadable", what)
    inner = entry.get("server")
    server: Mapping[str, Any] = inner if isinstance(inner, Mapping) else entry
    title = plain_text(server.get("title") or server.get("name") or address, _LONGEST_NAME)
    tools = server.get("tools")
    if not isinstance(tools, list):
        return _registered(server, title, address, bounds, licence, live)
    text = json.dumps(entry, sort_keys=True)
    return _theme(
        title=_last_of_reverse_dns(title),
        overview=plain_text(server.get("overview") or server.get("description"), _LONGEST_OVERVIEW),
        tools=tools[: bounds.tools],
        evidence=evidence_of("mcp_server", address, text, licence),
    )


def _registered(
    server: Mapping[str, Any], title: str, address: str, bounds: Bounds, licence: str, live: bool
) -> Theme | Refusal:
    """Return the theme of a registry's entry, by asking the server where it is reachable; else why there is none."""
    remotes = _listed(server, "remotes")
    remote = next((str(one["url"]) for one in remotes if one.get("type") == "streamable-http" and one.get("url")), None)
    if live and remote:
        finding = read_live(remote, bounds, licence, _last_of_reverse_dns(title))
        return finding.themes[0] if finding.themes else finding.refusals[0]
    packages = _listed(server, "packages")
    if remote:
        how = f"ask the server itself: factory discover mcp {remote}"
    elif packages:
        starter = str(packages[0].get("runtimeHint") or packages[0].get("runtime_hint") or "npx -y")
        how = f"start the server: factory discover mcp -- {starter} {packages[0].get('identifier') or packages[0].get('name')}"
    else:
        how = "it says neither where the server is nor how it is started"
    return Refusal(title, address, "no_tools", f"the entry names no tools; {how}")


def _listed(server: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    listed = server.get(key)
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _last_of_reverse_dns(title: str) -> str:
    """Return what a registry's name ends with: 'io.github.example/weather' is 'weather'."""
    return title.rpartition("/")[2] or title


def _theme(title: str, overview: str, tools: Sequence[Any], evidence: Evidence) -> Theme | Refusal:
    operations = [named for tool in tools if (named := named_tool(tool)) is not None]
    return read_theme(Described(title, overview, operations, evidence, "mcp"))


def named_tool(tool: Any) -> Named | None:
    """Return a tool as the protocol lists it (or close to it) as an operation; None for what is no tool."""
    if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str) or not tool["name"].strip():
        return None
    return Named(
        name=plain_text(tool["name"], _LONGEST_NAME),
        description=str(tool.get("description") or "")[:_LONGEST_TOOL_TEXT],
        parameters=read_parameters(_schema_of(tool)),
        returns=read_parameters(tool.get("outputSchema") or tool.get("output_schema")),
    )


def _schema_of(tool: Mapping[str, Any]) -> Any:
    return next((tool[key] for key in ("inputSchema", "input_schema", "parameters") if key in tool), None)


def _finding(results: Sequence[Theme | Refusal]) -> Finding:
    return Finding(
        themes=[one for one in results if isinstance(one, Theme)],
        refusals=[one for one in results if isinstance(one, Refusal)],
    )
