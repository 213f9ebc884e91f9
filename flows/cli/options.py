"""Options that every command has, and the settings they give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from schemas.errors import UsageError
from schemas.settings import Settings, unknown_variables

Home = Annotated[
    Path | None, typer.Option("--home", help="State folder.", show_default=".factory, or FACTORY_HOME", metavar="DIR")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def settings_of(home: Path | None) -> Settings:
    """Return the settings, with --home over FACTORY_HOME over the default; UsageError names a bad or unknown one."""
    if unknown := unknown_variables():
        raise UsageError(
            f"no setting is called {unknown[0]}. Unset it, or choose from: {', '.join(Settings.model_fields)}"
        )
    try:
        settings = Settings() if home is None else Settings(home=home)
    except ValidationError as error:
        first = error.errors()[0]
        name = "FACTORY_" + "__".join(str(part) for part in first["loc"]).upper()
        raise UsageError(
            f"setting {name}={first['input']!r}: {first['msg']}. Unset or mend it and run again"
        ) from error
    if settings.home.exists() and not settings.home.is_dir():
        raise UsageError(f"--home {settings.home} is a file, not a folder. Name another: --home .factory")
    return settings
