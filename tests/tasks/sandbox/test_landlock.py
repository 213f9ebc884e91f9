from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.sandbox import kernel, landlock
from tasks.sandbox.errors import SandboxUnavailable

ABI = landlock.abi()


def outcomes(version: int, readable: Path, writable: Path, acts: dict[str, Callable[[], object]]) -> dict[str, bool]:
    """Run each act in one restricted child; return which succeeded."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            landlock.restrict([str(readable)], [str(writable)], version)
            for act in acts.values():
                try:
                    act()
                    os.write(writer, b"1")
                except OSError:
                    os.write(writer, b"0")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answers = pipe.read()
    os.waitpid(pid, 0)
    assert len(answers) == len(acts)
    return {name: answer == ord("1") for name, answer in zip(acts, answers, strict=True)}


@pytest.mark.parametrize("version", range(1, 8))
def test_rules_hold_under_every_abi(version: int, tmp_path: Path) -> None:
    if version > ABI:
        pytest.skip(f"this kernel has ABI {ABI}")
    library, workspace = tmp_path / "library", tmp_path / "workspace"
    library.mkdir()
    workspace.mkdir()
    (library / "module.py").write_text("x")
    (workspace / "world.db").write_text("x")
    (tmp_path / "secret").write_text("x")

    def write(path: Path) -> None:
        with path.open("r+b") as file:
            file.write(b"y")
            file.truncate()

    allowed = {
        "read the library": (library / "module.py").read_text,
        "list the library": lambda: os.listdir(library),
        "read the workspace": (workspace / "world.db").read_text,
        "write the workspace": lambda: write(workspace / "world.db"),
        "truncate the workspace's file": lambda: (workspace / "world.db").open("wb").close(),
    }
    refused = {
        "read outside": (tmp_path / "secret").read_text,
        "write outside": lambda: write(tmp_path / "secret"),
        "list outside": lambda: os.listdir(tmp_path),
        "write the library": lambda: write(library / "module.py"),
        "create": lambda: (workspace / "new").open("xb").close(),
        "make a folder": lambda: os.mkdir(workspace / "new"),
        "make a symbolic link": lambda: os.symlink(tmp_path / "secret", workspace / "link"),
        "make a hard link": lambda: os.link(tmp_path / "secret", workspace / "link"),
        "make a pipe": lambda: os.mkfifo(workspace / "pipe"),
        "rename": lambda: os.rename(workspace / "world.db", workspace / "other.db"),
        "remove": lambda: os.remove(workspace / "world.db"),
    }
    found = outcomes(version, library, workspace, allowed | refused)
    assert [name for name in allowed if not found[name]] == []
    assert [name for name in refused if found[name]] == []


def test_a_machine_without_landlock_is_refused_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    with pytest.raises(SandboxUnavailable, match=r"Linux 5\.13.*lsm=.*seccomp profile"):
        landlock.require()


def test_another_system_is_refused_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "IS_SUPPORTED", False)
    with pytest.raises(SandboxUnavailable, match="container or virtual machine"):
        landlock.require()
