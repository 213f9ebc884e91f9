"""One real Prefect server for all flow tests, started by the code behind `factory up`, and the command in a subprocess."""

import json
import os
import re
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
PROGRAM = "import sys; sys.argv[0] = 'factory'; from flows.cli import main; main()"


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

    @property
    def states(self) -> dict[str, str]:
        """Task run's name → the state it finished in, from Prefect's log lines."""
        return dict(re.findall(r"Task run '([^']+)' - Finished in state (\w+)", self.err))


class Factory:
    """Starts `factory …` in subprocesses, away from the caller's settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, *arguments: str, env: dict[str, str] | None = None, prelude: str = "", **options: Any) -> Any:
        """Start the command; `prelude` is Python that runs before it, `env` adds variables."""
        return subprocess.Popen(
            [sys.executable, "-c", f"{prelude}\n{PROGRAM}", *arguments],
            cwd=self.folder,
            env=self.variables(env or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def __call__(self, *arguments: str, timeout: float = 300, **options: Any) -> Ended:
        """Run the command to its end."""
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
        return Ended(process.returncode, out, err)

    def variables(self, extra: dict[str, str]) -> dict[str, str]:
        """Return this process's variables, where the code lies, and `extra`, whose PYTHONPATH goes first."""
        path = [extra["PYTHONPATH"]] if "PYTHONPATH" in extra else []
        return {**os.environ, "COLUMNS": "200", **extra, "PYTHONPATH": os.pathsep.join([*path, str(ROOT)])}


@pytest.fixture(scope="session")
def factory(tmp_path_factory: pytest.TempPathFactory) -> Factory:
    """The command, run in an empty folder."""
    return Factory(tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="session")
def find_port() -> Callable[[], int]:
    """Return a function that finds a port nobody listens on now."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, find_port: Callable[[], int]) -> Iterator[Settings]:
    """A running Prefect server; its settings tell the port. Runs bring their own homes."""
    settings = Settings(home=tmp_path_factory.mktemp("server"), server_port=find_port())
    ensure_server(settings)
    yield settings
    stop_server(settings)


@pytest.fixture(scope="session")
def at_server(server: Settings) -> dict[str, str]:
    """Variables that send a command's runs to the test's server; rounds, and worker processes, where a test is about them."""
    return {"FACTORY_SERVER_PORT": str(server.server_port), "FACTORY_ROUNDS": "0", "FACTORY_WORKERS": "1"}


@dataclass(frozen=True)
class Built:
    """A home with the music store's environment, grown by a round, and two tasks, and how the run that made it ended."""

    home: Path
    ended: Ended
    arguments: tuple[str, ...]


@pytest.fixture(scope="session")
def built(factory: Factory, tmp_path_factory: pytest.TempPathFactory, at_server: dict[str, str]) -> Built:
    """One run that many tests look at; what a test changes there, it mends."""
    home = tmp_path_factory.mktemp("built") / "home"
    arguments = ("expand", "--themes", "music_store", "--tasks", "2", "--rounds", "1", "--json", "--home", str(home))
    ended = factory(*arguments, env=at_server)
    assert ended.code == 0, ended.err
    return Built(home, ended, arguments)


SNAPSHOT = ("snapshot", "--heldout", "0", "--json")
"""A snapshot of all that may be trained on, in one split."""


@pytest.fixture(scope="session")
def exported(built: Built, factory: Factory, at_server: dict[str, str]) -> dict[str, Any]:
    """What the command says of a snapshot of the built home."""
    ended = factory(*SNAPSHOT, "--home", str(built.home), env=at_server)
    assert ended.code == 0, ended.err
    found: dict[str, Any] = ended.json
    return found
