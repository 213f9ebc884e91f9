"""llm: what models did in their roles, and what a run would ask of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.models import ROLES
from schemas.settings import Settings

llm = typer.Typer(help="Show what models did, and what they would cost.", no_args_is_help=True)


@llm.command(epilog="Example: factory llm stats --json")
def stats(home: Home = None, as_json: Json = False) -> None:
    """Show each role's calls, tokens and dollars, and what became of what its models proposed.

    Counted in the spool of the home, where every call stays, stored in the warehouse or not yet: of runs that still go, too.
    """
    from tasks.authors.llm.client.spool import spool_of
    from tasks.authors.llm.client.statistics import role_statistics

    rows = [asdict(row) for row in role_statistics(spool_of(settings_of(home).home))]
    if as_json:
        print_json({"roles": rows})
        return
    for row in rows:
        row["refused_by"] = ", ".join(f"{gate} {count}" for gate, count in row["refused_by"].items())
    print_rows(list(rows[0]), [list(row.values()) for row in rows])


@llm.command(epilog="Example: factory llm forecast --themes 13")
def forecast(
    themes: Annotated[int, typer.Option("--themes", min=1, help="Themes of the run.", metavar="N")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show what the roles that the settings give to models would take for a run over N themes, and how that is known.

    Where no role is given to a model: what all of them would.
    """
    from tasks.authors.llm.client.prices import Prices
    from tasks.authors.llm.forecast import forecast as forecast_of
    from tasks.authors.llm.forecast import roles_of

    settings = settings_of(home)
    prices = Prices(settings.llm.prices, settings.llm.base_url)
    found = forecast_of(settings, prices, _history(settings), roles_of(settings) or ROLES, themes)
    rows = [asdict(row) for row in found]
    if as_json:
        print_json({"themes": themes, "roles": rows})
    else:
        print_rows(list(rows[0]), [list(row.values()) for row in rows])


def _history(settings: Settings) -> list[dict[str, object]]:
    """Return what models took for a theme so far; nothing before anything is published."""
    from warehouse.published import Published

    published = Published(settings.home)
    return published.rows("model_use") if published.path.exists() else []
