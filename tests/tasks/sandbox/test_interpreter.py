from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.sandbox import interpreter
from tasks.sandbox.errors import SandboxUnavailable
from tasks.sandbox.interpreter import hidden_part, private_part, require_readable
from tasks.sandbox.pool import WorkerPool
from tasks.sandbox.selftest import GUEST as SELF_TEST

NOBODY = 65534


@pytest.fixture
def library() -> Iterator[Path]:
    """A library folder that everyone can read, but for what a test takes away."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root, "python", "lib")
        folder.mkdir(parents=True)
        for path in (folder, folder.parent, Path(root)):
            path.chmod(0o755)
        yield folder
        for path in (folder.parent, folder):
            path.chmod(0o755)


def hide(folder: Path) -> None:
    """Make `folder` one that this process cannot search without capabilities."""
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        folder.chmod(0o700)
    else:
        folder.chmod(0o000)


def test_this_interpreter_is_readable() -> None:
    require_readable()


def test_an_interpreter_in_anothers_private_folder_is_refused_with_the_fix(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "_needed", lambda: [Path(sys.executable).resolve(), library])
    require_readable()
    hide(library.parent)
    with pytest.raises(SandboxUnavailable, match=rf"chmod o\+rx {library.parent}\).*/usr/bin/python3"):
        WorkerPool([SELF_TEST])


def test_the_topmost_obstacle_is_named(library: Path) -> None:
    assert hidden_part(library, everyone=True) is None
    library.chmod(0o711)
    assert hidden_part(library, everyone=True) == library  # it can be entered, but not listed
    library.parent.chmod(0o700)
    assert hidden_part(library, everyone=True) == library.parent
    assert hidden_part(library) is None  # its owner may


def test_an_interpreter_that_others_cannot_read_is_told(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_needed", lambda: [Path("/usr/lib")])
    assert private_part() is None
    monkeypatch.setattr(interpreter, "_needed", lambda: [Path("/usr/lib"), library])
    library.parent.chmod(0o750)
    assert private_part() == library.parent
