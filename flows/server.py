"""The standing local Prefect server: started when none answers, stopped only if we started it.

An ephemeral server loses task-run records (DESIGN.md, decision 6), so every run goes to one
that stays. `start_server` leaves `<home>/server.json` (pid, start time, port) and
`<home>/server.log`; `stop_server` signals the process only while pid and start time still match,
so that a reused pid is never hit.
"""

from __future__ import annotations

import fcntl
import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.errors import UsageError
from schemas.settings import Settings, child_environment

STARTUP_S = 180.0
"""Longest wait for health: measured 7 to 11 s on 2 cores, far more on a loaded machine."""
STOP_S = 10.0
"""Wait after SIGTERM before SIGKILL."""

Answer = Literal["prefect", "starting", "nobody", "stranger"]


class ServerRecord(BaseModel):
    """What `start_server` remembers of the process it started."""

    model_config = ConfigDict(extra="forbid")
    pid: int
    started: str
    port: int


def probe(settings: Settings) -> Answer:
    """Ask who holds the server's port: a healthy or starting Prefect server, nobody, or a stranger.

    Uses http.client, which ignores proxy variables: the address is always this machine.
    """
    connection = http.client.HTTPConnection("127.0.0.1", settings.server_port, timeout=5)
    try:
        connection.request("GET", "/api/health")
        response = connection.getresponse()
        body = response.read(1000)
    except ConnectionRefusedError:
        return "nobody"
    except (OSError, http.client.HTTPException):
        return "stranger"
    finally:
        connection.close()
    if response.status == 200 and body.strip() == b"true":
        return "prefect"
    return "starting" if response.status == 503 else "stranger"


def ensure_server(settings: Settings, report: Callable[[str], None] = lambda line: None) -> bool:
    """Start a local Prefect server unless one answers; return whether this call started it.

    `report` receives a line of progress about once a second while the server boots.
    Raises UsageError when something else holds the port, RuntimeError when the server dies or
    does not answer within STARTUP_S.
    """
    if probe(settings) == "prefect":
        return False
    settings.home.mkdir(parents=True, exist_ok=True)
    with _start_lock(settings):
        answer = probe(settings)
        if answer == "prefect":
            return False
        if answer == "stranger":
            raise UsageError(
                f"port {settings.server_port} on 127.0.0.1 is held by something that is not a Prefect server. "
                f"Choose another: FACTORY_SERVER_PORT={_other_port(settings)} factory up"
            )
        process = _spawn(settings)
        _wait_healthy(settings, process, report)
    return True


def stop_server(settings: Settings) -> int | None:
    """Stop the server that `ensure_server` started for this home and return its port; None when there is none.

    A server that someone else started, or a process that merely has the recorded pid, is left alone.
    """
    record = read_record(settings)
    if record is None:
        return None
    alive = process_start(record.pid) == record.started
    if alive:
        _end_group(record)
    _record_path(settings).unlink(missing_ok=True)
    return record.port if alive else None


def read_record(settings: Settings) -> ServerRecord | None:
    """Return what is remembered of the server started for this home, or None."""
    try:
        return ServerRecord.model_validate_json(_record_path(settings).read_text())
    except (FileNotFoundError, ValidationError):
        return None


def process_start(pid: int) -> str | None:
    """Return when the process began, as the system tells it, or None when there is no such process.

    Linux: field 22 of /proc/<pid>/stat (clock ticks since boot); a zombie counts as gone.
    Elsewhere: `ps -o lstart=`.
    """
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] in "ZX" else fields[19]
    listing = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listing.stdout.strip() or None


def log_path(settings: Settings) -> Path:
    """Return where the server started for this home writes its log."""
    return settings.home.absolute() / "server.log"


def _record_path(settings: Settings) -> Path:
    return settings.home.absolute() / "server.json"


@contextmanager
def _start_lock(settings: Settings) -> Iterator[None]:
    """Let one process at a time start this home's server."""
    with (settings.home / "server.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _spawn(settings: Settings) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"]
    with log_path(settings).open("ab") as log:
        process = subprocess.Popen(
            [*command, "--port", str(settings.server_port)],
            env=child_environment(settings),
            cwd=settings.home.absolute(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # outlives the command, and is one group to stop
        )
    record = ServerRecord(pid=process.pid, started=process_start(process.pid) or "", port=settings.server_port)
    temporary = _record_path(settings).with_suffix(".tmp")
    temporary.write_text(record.model_dump_json() + "\n")
    temporary.replace(_record_path(settings))
    return process


def _wait_healthy(settings: Settings, process: subprocess.Popen[bytes], report: Callable[[str], None]) -> None:
    began = time.monotonic()
    told = 0
    while (elapsed := time.monotonic() - began) < STARTUP_S:
        if process.poll() is not None:
            _record_path(settings).unlink(missing_ok=True)
            raise RuntimeError(f"the Prefect server ended with {process.returncode}; its log: {_last_lines(settings)}")
        if probe(settings) == "prefect":
            return
        if int(elapsed) > told:
            told = int(elapsed)
            report(f"Prefect server is starting on port {settings.server_port}, {told} s")
        time.sleep(0.2)
    stop_server(settings)
    raise RuntimeError(f"no healthy Prefect server after {STARTUP_S:.0f} s; its log: {_last_lines(settings)}")


def _last_lines(settings: Settings, count: int = 3) -> str:
    lines = log_path(settings).read_text(errors="replace").splitlines()
    return " | ".join(line.strip() for line in lines[-count:]) or str(log_path(settings))


def _end_group(record: ServerRecord) -> None:
    """Send SIGTERM to the server's session, SIGKILL after STOP_S. Its own children are in it."""
    for sign, patience in ((signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
        try:
            os.killpg(record.pid, sign)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if process_start(record.pid) != record.started:
                return
            time.sleep(0.1)


def _other_port(settings: Settings) -> int:
    return settings.server_port + 1 if settings.server_port < 65535 else settings.server_port - 1
