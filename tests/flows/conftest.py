"""One real Prefect server for all flow tests, started by the code behind `factory up`, and the command in a subprocess."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flows.server import ensure_server, stop_server
from schemas.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, "-c", "import sys; sys.argv[0] = 'factory'; from flows.cli import main; main()"]


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value that stdout is."""
        return json.loads(self.out)


Factory = Callable[..., Ended]


def variables(**extra: str) -> dict[str, str]:
    """Return the environment of a subprocess: this one's, where it finds the code, and `extra`."""
    path = os.pathsep.join(part for part in (extra.pop("PYTHONPATH", ""), str(ROOT)) if part)
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", **extra}


@pytest.fixture
def factory(tmp_path: Path) -> Factory:
    """Run `factory …` in a subprocess, in an empty folder; `env` adds variables."""

    def run(*arguments: str, env: dict[str, str] | None = None, timeout: float = 300) -> Ended:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env=variables(**(env or {})),
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A running Prefect server; its settings tell the port. Runs bring their own homes."""
    settings = Settings(home=tmp_path_factory.mktemp("server"), server_port=free_port())
    ensure_server(settings)
    yield settings
    stop_server(settings)


@pytest.fixture(scope="session")
def at_server(server: Settings) -> dict[str, str]:
    """Variables that send a command's runs to the test's server."""
    return {"FACTORY_SERVER_PORT": str(server.server_port)}
