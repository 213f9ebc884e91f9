"""up, down: the local Prefect server."""

from __future__ import annotations

import sys

from rich.console import Console

from flows.cli.options import Home, settings_of
from flows.server import ensure_server, log_path, probe, stop_server
from schemas.settings import Settings


def up(home: Home = None) -> None:
    """Start a local Prefect server unless one answers, and wait until it is healthy."""
    settings = settings_of(home)
    print(f"{start(settings)} {settings.ui_url}")


def down(home: Home = None) -> None:
    """Stop the Prefect server that `up`, `demo` or `expand` started for this home, and no other."""
    settings = settings_of(home)
    port = stop_server(settings)
    if port is not None:
        print(f"stopped the Prefect server on port {port}")
    elif probe(settings) == "prefect":
        print(f"the Prefect server at {settings.ui_url} was not started from {settings.home}; it is left running")
    else:
        print("no Prefect server to stop")


def start(settings: Settings) -> str:
    """Make a Prefect server answer, with a line or a spinner of progress on stderr; return what was found."""
    console = Console(stderr=True, highlight=False)
    if console.is_terminal:
        with console.status(f"looking for a Prefect server on port {settings.server_port}") as status:
            started = ensure_server(settings, status.update)
    else:
        started = ensure_server(settings, lambda line: print(line, file=sys.stderr, flush=True))
    return f"started a Prefect server, log in {log_path(settings)}:" if started else "a Prefect server answers:"
