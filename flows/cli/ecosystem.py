"""backlog, taxonomy: what waits, and where everything stands."""

from __future__ import annotations

import difflib
import time
import uuid
from typing import Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.taxonomy import Classification

BACKLOG_COLUMNS = ("theme_name", "kind", "level1", "wants", "rounds")
CLASS_COLUMNS = ("level1", "level2", "environments", "themes", "mean_confidence", "by_a_person")

taxonomy = typer.Typer(help="Show and correct the classes of themes.", no_args_is_help=True)


def backlog(home: Home = None, as_json: Json = False) -> None:
    """Show which themes wait to become environments, or to grow, in the order in which they will be worked on."""
    from tasks.themes.backlog import Waiting, plan_night
    from warehouse.published import Published

    settings = settings_of(home)
    published = Published(settings.home)
    rows = {row["theme_name"]: row for row in published.rows("backlog", rounds=settings.rounds)}
    standing = {row["level1"]: row["environments"] for row in published.rows("standing_classes")}
    waiting = [Waiting(row["theme_name"], row["wants"], row["level1"], row["rounds"]) for row in rows.values()]
    ordered = [rows[theme.theme_name] for theme in plan_night(waiting, standing, len(waiting))]
    if as_json:
        print_json(ordered)
    elif not ordered:
        print("Nothing waits. Put themes on the backlog: factory discover --help")
    else:
        print_rows(BACKLOG_COLUMNS, [tuple(row[name] for name in BACKLOG_COLUMNS) for row in ordered])
        print(f"{len(ordered)} wait. Work on the first ten: factory expand --backlog --n 10")


@taxonomy.command("show", epilog="Example: factory taxonomy show --json")
def show_taxonomy(home: Home = None, as_json: Json = False) -> None:
    """Show how many environments and themes stand in each class."""
    from warehouse.published import Published

    rows = Published(settings_of(home).home).rows("classes")
    if as_json:
        print_json(rows)
    else:
        print_rows(CLASS_COLUMNS, [tuple(row[name] for name in CLASS_COLUMNS) for row in rows])


@taxonomy.command("set", epilog='Example: factory taxonomy set music_store "Media & Entertainment"')
def set_class(
    theme: Annotated[str, typer.Argument(help="Name of the theme.", metavar="THEME")],
    level1: Annotated[str, typer.Argument(help="First-level class, by its name.", metavar="CLASS")],
    level2: Annotated[str | None, typer.Option(help="Second-level class, by its name.", metavar="CLASS")] = None,
    home: Home = None,
) -> None:
    """Say where a theme belongs: your word counts before the rules', and they learn from it."""
    from schemas.versions import CODE_VERSION
    from warehouse.rows import Stamp, save_correction, save_run, save_run_end
    from warehouse.seeds import taxonomy_rows
    from warehouse.store import Warehouse

    settings = settings_of(home)
    warehouse = Warehouse(settings.home)
    themes = [row["theme_name"] for row in warehouse.rows("known_themes")]
    _require(theme, themes, "theme", "factory discover --help, or: factory expand")
    _require(level1, sorted({first for first, _, _ in taxonomy_rows()}), "first-level class", "factory taxonomy show")
    if level2 is not None:
        under = [second for first, second, _ in taxonomy_rows() if first == level1]
        _require(level2, under, f"class under {level1}", "factory taxonomy show")
    stamp = Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, "person")
    save_run(warehouse, "taxonomy", {"theme": theme, "level1": level1, "level2": level2}, time.time(), stamp)
    save_correction(warehouse, Classification(theme_name=theme, level1=level1, level2=level2), stamp)
    save_run_end(warehouse, "completed", time.time(), stamp, f"{theme} is in {level1}")
    warehouse.publish()
    print(f"{theme} is in {level1}{f', {level2}' if level2 else ''}.")


def _require(name: str, known: list[str], what: str, otherwise: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:20]
        told = f"Choose from: {', '.join(near)}" if near else f"There is none yet. Run: {otherwise}"
        raise UsageError(f"no {what} is called {name!r}. {told}")
