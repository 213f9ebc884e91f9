"""llm: what models did in their roles, and what a run would ask of them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
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
    rows = _forecast(settings_of(home), themes)
    if as_json:
        print_json({"themes": themes, "roles": rows})
    else:
        print_rows(list(rows[0]), [list(row.values()) for row in rows])


@llm.command(epilog="Example: factory llm calibrate --items 40")
def calibrate(
    items: Annotated[
        int, typer.Option(min=20, help="Statements of known truth to judge, half of them true.", metavar="N")
    ] = 40,
    floor: Annotated[float, typer.Option(min=0, max=1, help="Least share judged right.", metavar="SHARE")] = 0.9,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask the judge about answers to the home's tasks whose truth code checks know, and store how far it can be trusted."""
    from flows.judging import calibrate_judge

    found = calibrate_judge(settings_of(home), items, floor).model_dump()
    if as_json:
        print_json(found)
    else:
        print_rows(("what", "found"), [(name.replace("_", ", judged "), str(value)) for name, value in found.items()])


def tell_forecast(settings: Settings, themes: int | None) -> None:
    """Say on stderr what a run over so many themes (None: each of them) will ask of its models, and how to see it by role."""
    rows = _forecast(settings, themes or 1)
    calls, tokens = (sum(row[name] for row in rows) for name in ("calls", "tokens"))
    prices = [row["dollars"] for row in rows if row["calls"]]
    dollars = "no price is known" if None in prices else f"{sum(prices):.2f} US dollars"
    bounds = "at most" if any(row["basis"].startswith("at most") for row in rows) else "about"
    whose = "each theme" if themes is None else "1 theme" if themes == 1 else f"{themes} themes"
    told = f"Models: {bounds} {calls:,} calls, {tokens:,} tokens, {dollars}, for {whose}"
    print(f"{told} (by role: factory llm forecast --themes {themes or 1})", file=sys.stderr)


def _forecast(settings: Settings, themes: int) -> list[dict[str, Any]]:
    """Return a row for each role that a model fills: of all of them where rules fill them all."""
    from tasks.authors.llm.client.prices import Prices
    from tasks.authors.llm.forecast import forecast, roles_of

    prices = Prices(settings.llm.prices, settings.llm.base_url)
    found = forecast(settings, prices, _history(settings), roles_of(settings) or ROLES, themes)
    return [asdict(row) for row in found]


def _history(settings: Settings) -> list[dict[str, object]]:
    """Return what models took for a theme so far; nothing where nothing that this code can read is published."""
    from warehouse.published import Published

    try:
        return Published(settings.home).rows("model_use")
    except UsageError:
        # Nothing yet, or by an older factory: the run that is forecast publishes anew.
        return []
