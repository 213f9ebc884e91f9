"""discover: themes from documents, live servers, folders of data and sites."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.display import as_typed, print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.settings import Settings

if TYPE_CHECKING:
    from flows.discovering import Discovery
    from tasks.themes.findings import Finding

discover = typer.Typer(
    no_args_is_help=True, help="Find themes in MCP servers, tool documents, requirements, data and sites."
)
Name = Annotated[str | None, typer.Option("--name", help="What the theme is called.", metavar="NAME")]
Licence = Annotated[str, typer.Option("--licence", help="Licence of the source.", metavar="TEXT")]
_MOST_SHOWN = 30


@discover.command(epilog="Example: factory discover mcp servers.jsonl.gz | factory discover mcp -- npx -y SERVER DIR")
def mcp(
    source: Annotated[
        list[str],
        typer.Argument(help="A file, an address, or behind -- the command that starts a server.", metavar="SOURCE…"),
    ],
    name: Name = None,
    licence: Licence = "unknown",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Servers of a list at most.", metavar="N", show_default="all")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="Time for a live server to list its tools.", metavar="S")
    ] = 20.0,
    live: Annotated[bool, typer.Option("--live", help="Ask servers that a registry's entry only points to.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Find themes in MCP servers: a live one, an entry of a registry (server.json), or a list of them (json, json lines)."""
    from tasks.themes.sources.bounds import Bounds
    from tasks.themes.sources.mcp import read_list, read_live

    settings, bounds = settings_of(home), Bounds(seconds=seconds)
    if len(source) == 1 and source[0].startswith(("http://", "https://")):
        finding = read_live(source[0], bounds, licence, name)
    elif len(source) == 1 and _is_document(source[0]):
        finding = read_list(Path(source[0]), bounds, licence, live=live, most=limit)
    else:
        finding = read_live(source, bounds, licence, name)
    _end(settings, finding, " ".join(source), as_json)


def _is_document(source: str) -> bool:
    """Return whether a single word names a document and not a program: by its ending."""
    return bool({".json", ".jsonl", ".ndjson"} & set(Path(source).suffixes))


@discover.command(epilog="Example: factory discover tools openapi.yaml --licence MIT")
def tools(
    file: Annotated[Path, typer.Argument(help="OpenAI tools or OpenAPI, as json or yaml.", metavar="FILE")],
    name: Name = None,
    licence: Licence = "unknown",
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Find the theme of a tool document: functions for a model, or an OpenAPI description."""
    from tasks.themes.sources.bounds import Bounds
    from tasks.themes.sources.tool_documents import read_tool_document

    _end(settings_of(home), read_tool_document(file, Bounds(), licence, name), str(file), as_json)


@discover.command(epilog="Example: factory discover requirements library_system.md")
def requirements(
    file: Annotated[Path, typer.Argument(help="A markdown or docx document.", metavar="FILE")],
    name: Name = None,
    licence: Licence = "unknown",
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Find the theme of a requirements document: its things, what can be done with them, and its rules."""
    from tasks.themes.sources.bounds import Bounds
    from tasks.themes.sources.requirements import read_requirements

    _end(settings_of(home), read_requirements(file, Bounds(), licence, name), str(file), as_json)


@discover.command(epilog="Example: factory discover data ../shared/library")
def data(
    folder: Annotated[
        Path | None,
        typer.Argument(help="A folder tree with data files.", metavar="DIR", show_default="the bundled themes"),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Find themes in a folder tree of data, a theme a folder; without DIR those that come with the factory."""
    from flows.discovering import keep_finding, keep_library
    from tasks.themes.bundled import bundled_themes
    from tasks.themes.findings import Finding

    settings = settings_of(home)
    if folder is None:
        _show(keep_finding(settings, Finding(bundled_themes()), "the bundled themes"), as_json)
    else:
        _show(keep_library(settings, folder), as_json)


@discover.command(epilog="Example: factory discover site https://example.org/ --name 'Example shop'")
def site(
    address: Annotated[list[str], typer.Argument(help="Addresses from which the search starts.", metavar="URL…")],
    name: Name = None,
    licence: Licence = "unknown",
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Make a theme of a site: its pages are read when the theme is mined."""
    from tasks.themes.findings import Finding
    from tasks.themes.sources.sites import read_sites

    _end(settings_of(home), Finding([read_sites(address, licence, name)]), " ".join(address), as_json)


def _end(settings: Settings, finding: Finding, what: str, as_json: bool) -> None:
    """Merge, store and show what was found."""
    from flows.discovering import keep_finding

    _show(keep_finding(settings, finding, what), as_json)


def _show(found: Discovery, as_json: bool) -> None:
    operations = [one for theme in found.themes for one in theme.operations]
    understood = sum(one.verb != "other" and bool(one.entity) for one in operations)
    counts = {"in": len(found.themes), "merged": len(found.merges), "rejected": len(found.refusals)}
    if as_json:
        share = round(understood / len(operations), 4) if operations else None
        print_json(
            {
                "themes": {**counts, "by_reason": found.reasons},
                "operations": {"named": len(operations), "with_verb_and_entity": understood, "share": share},
                "found": [_row(theme) for theme in found.themes],
                "refused": [{"name": r.name, "reason": r.reason, "detail": r.detail} for r in found.refusals],
                "notes": list(found.notes),
            }
        )
        return
    rows = [tuple(_row(theme).values()) for theme in found.themes[:_MOST_SHOWN]]
    if rows:
        print_rows(("theme", "kind", "operations", "things"), rows)
    if len(found.themes) > _MOST_SHOWN:
        print(f"and {len(found.themes) - _MOST_SHOWN} more themes")
    rules = Counter(merge.rule for merge in found.merges)
    print_rows(
        ("what became of them", "count"),
        [
            ("themes", counts["in"]),
            *((f"merged by {rule}", count) for rule, count in sorted(rules.items())),
            *((f"rejected: {reason}", count) for reason, count in found.reasons.items()),
        ],
    )
    for note in [*found.notes, *(f"{r.name}: {r.detail}" for r in found.refusals[:3] if not found.themes)]:
        print(note)
    if found.themes:
        print(f"Build them: {as_typed(f'factory expand --themes {found.themes[0].name}')}")


def _row(theme: Any) -> dict[str, Any]:
    things = [entity.name for entity in theme.entities] or [table.name for table in theme.tables] or theme.sites
    return {"theme": theme.name, "kind": theme.kind, "operations": len(theme.operations), "things": ", ".join(things)}
