"""A default install calls nobody: each process of `up`, `expand` and `down` tells which addresses it connects to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from schemas.settings import Settings, prefect_environment

AUDIT = '''
import os, sys
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[-1]
    elif event == "socket.getaddrinfo":
        address = arguments[0]
    else:
        return
    with open({log!r}, "a") as log:
        log.write(f"{{os.getpid()}} {{event}} {{address[0] if isinstance(address, tuple) else address}}\\n")
sys.addaudithook(note)
'''
LOOPBACK = {"127.0.0.1", "localhost", "::1", "None"}


def test_no_process_connects_to_another_machine(factory: Any, tmp_path: Path, free_port: Callable[[], int]) -> None:
    log = tmp_path / "connections"
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "sitecustomize.py").write_text(AUDIT.format(log=str(log)))
    env = {
        "PYTHONPATH": str(tmp_path / "audit"),
        "FACTORY_SERVER_PORT": str(free_port()),
        "FACTORY_HOME": str(tmp_path / "home"),
    }
    try:
        ended = factory("expand", "--themes", "music_store", "--tasks", "1", env=env)
        assert ended.code == 0, ended.err
        assert "Prefect server is starting" in ended.err
    finally:
        down = factory("down", env=env)
    assert "stopped" in down.out
    seen = [line.split(" ", 2) for line in log.read_text().splitlines()]
    assert len({process for process, _, _ in seen}) >= 2, "the flow's process and the server's"
    strangers = [entry for entry in seen if entry[2] not in LOOPBACK and not entry[2].startswith(("/", "@"))]
    assert strangers == []


def test_telemetry_is_off_in_the_environment() -> None:
    variables = prefect_environment(Settings())
    assert variables["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert variables["DO_NOT_TRACK"] == "1"
    assert variables["GX_ANALYTICS_ENABLED"] == "false"
    assert variables["PREFECT_API_URL"].startswith("http://127.0.0.1:")
