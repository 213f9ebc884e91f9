"""status, tasks, sql: read the published warehouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.display import print_json, print_page, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from warehouse.published import QueryResult


def status(home: Home = None, as_json: Json = False) -> None:
    """Show what stands: environments, tools and tasks of the current versions, and the last run that did work."""
    from warehouse.status import read_status

    figures = read_status(settings_of(home).home)
    if as_json:
        print_json(figures)
        return
    tasks = figures["tasks"]
    rows = [
        ("environments", figures["environments"]["accepted"], figures["environments"]["rejected"]),
        ("tools", figures["tools"]["kept"], figures["tools"]["rejected"]),
        ("tasks", tasks["accepted"], tasks["rejected"]),
    ]
    print_rows(("what", "kept", "rejected"), rows)
    kinds = ", ".join(f"{count} {kind}" for kind, count in tasks["by_kind"].items()) or "none"
    print(f"tasks by kind: {kinds}; with a required state change: {tasks['with_required_change']}")
    print(f"mean gold calls: {_figure(figures['mean_gold_calls'])}")
    print(
        f"last run that did work: {_figure(figures['wall_s'])} s, "
        f"of which orchestration {_figure(figures['orchestration_share'], share=True)}"
    )


def tasks(
    sample: Annotated[int, typer.Option("--sample", min=0, help="Requests to show.")] = 30,
    seed: Annotated[int, typer.Option("--seed", help="Another number shows other requests.")] = 0,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page's markdown, to keep it in a file.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show how long and how hard the tasks are, and a random sample of their requests."""
    from tasks.pages.artifacts import TASKS
    from tasks.pages.tasks import tasks_page
    from warehouse.published import Published

    published = Published(settings_of(home).home)
    found = {name: published.rows(name) for name in TASKS[:-1]}
    found[TASKS[-1]] = published.rows(TASKS[-1], count=sample, seed=seed)
    if as_json:
        print_json(found)
    else:
        show = print if markdown else print_page
        show(tasks_page(*found.values()))


def sql(
    text: Annotated[str | None, typer.Argument(help="A query in DuckDB's SQL.", metavar="SQL")] = None,
    named: Annotated[
        str | None, typer.Option("--named", help="A query of the factory by name.", metavar="NAME")
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", help="A value of the named query; repeatable.", metavar="KEY=VALUE")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Query the published warehouse, read-only and without access to other files."""
    if (text is None) == (named is None):
        raise UsageError(
            'give either a query or --named NAME. Try: factory sql "show tables", factory sql --named funnel'
        )
    if param and named is None:
        raise UsageError("--param gives values to a named query. Try: factory sql --named funnel")
    result = _query(settings_of(home).home, text, named, _parameters(param or []))
    if as_json:
        print_json([dict(zip(result.columns, row, strict=True)) for row in result.rows])
    else:
        print_rows(result.columns, result.rows)


def _query(home: Path, text: str | None, named: str | None, parameters: dict[str, str]) -> QueryResult:
    from warehouse.published import Published

    published = Published(home)
    return published.named(named, **parameters) if named is not None else published.sql(text or "")


def _parameters(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair:
            raise UsageError(f"--param {pair!r} is not KEY=VALUE. Try: --param theme=new_york_flights")
    return dict(pair.split("=", 1) for pair in pairs)


def _figure(value: float | None, share: bool = False) -> str:
    if value is None:
        return "not known"
    return f"{value:.1%}" if share else f"{value:.1f}"
