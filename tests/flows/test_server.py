"""The local server: started once, stopped only by who started it, never in a stranger's place."""

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from flows.server import ServerRecord, ensure_server, probe, process_start, read_record, stop_server
from schemas.errors import UsageError
from schemas.settings import Settings, child_environment

Port = Callable[[], int]


class _NotPrefect(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def stranger(port: int) -> Iterator[None]:
    """Hold a port with a web server that is not Prefect."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), _NotPrefect) as held:
        threading.Thread(target=held.serve_forever, daemon=True).start()
        yield
        held.shutdown()


def remember(settings: Settings, pid: int, started: str) -> None:
    settings.home.mkdir(parents=True, exist_ok=True)
    record = ServerRecord(pid=pid, started=started, port=settings.server_port)
    (settings.home / "server.json").write_text(record.model_dump_json())


def test_nobody_answers_on_a_free_port(tmp_path: Path, find_port: Port) -> None:
    assert probe(Settings(home=tmp_path, server_port=find_port())) == "nobody"


def test_a_stranger_on_the_port_is_a_usage_error(tmp_path: Path, find_port: Port) -> None:
    settings = Settings(home=tmp_path, server_port=find_port())
    with stranger(settings.server_port):
        assert probe(settings) == "stranger"
        with pytest.raises(UsageError, match=f"FACTORY_SERVER_PORT={settings.server_port + 1} factory up"):
            ensure_server(settings)
    assert read_record(settings) is None


def test_a_running_server_is_used_and_not_owned(server: Settings, tmp_path: Path) -> None:
    elsewhere = Settings(home=tmp_path, server_port=server.server_port)
    assert probe(elsewhere) == "prefect"
    assert ensure_server(elsewhere) is False
    assert stop_server(elsewhere) is None
    assert probe(elsewhere) == "prefect"


def test_a_reused_pid_is_left_alone(tmp_path: Path, find_port: Port) -> None:
    settings = Settings(home=tmp_path, server_port=find_port())
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as bystander:
        remember(settings, bystander.pid, "a moment that never was")
        assert stop_server(settings) is None
        assert bystander.poll() is None
        assert read_record(settings) is None
        bystander.communicate(b"\n")


def test_a_server_is_started_without_the_models_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FACTORY_LLM__API_KEY", "sk-secret")
    monkeypatch.setenv("ELSEWHERE", "kept")
    given = child_environment(Settings(home=tmp_path))
    assert "sk-secret" not in given.values() and given["ELSEWHERE"] == "kept"


def test_what_was_started_is_stopped(tmp_path: Path, find_port: Port) -> None:
    settings = Settings(home=tmp_path, server_port=find_port())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as ours:
        started = process_start(ours.pid)
        assert started
        remember(settings, ours.pid, started)
        assert stop_server(settings) == settings.server_port
        assert ours.wait(timeout=10) < 0
    assert read_record(settings) is None


def test_process_start_tells_processes_apart() -> None:
    assert process_start(os.getpid()) == process_start(os.getpid())
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pid = child.pid
    assert process_start(pid) is None


def test_up_and_down(factory: Any, tmp_path: Path, find_port: Port) -> None:
    env = {"FACTORY_SERVER_PORT": str(find_port())}
    home = tmp_path / "home"
    up = factory("up", "--home", str(home), env=env)
    assert up.code == 0, up.err
    try:
        assert "is starting" in up.err
        record = ServerRecord.model_validate_json((home / "server.json").read_text())
        assert process_start(record.pid) == record.started
        assert os.getsid(record.pid) == record.pid, "the server must outlive the terminal's session"
        again = factory("up", "--home", str(home), env=env)
        assert again.code == 0 and "a Prefect server answers" in again.out
        assert read_record(Settings(home=home)) == record
    finally:
        down = factory("down", "--home", str(home), env=env)
    assert down.code == 0 and "stopped" in down.out
    assert process_start(record.pid) is None
    assert not (home / "server.json").exists()
    assert "no Prefect server" in factory("down", "--home", str(home), env=env).out
