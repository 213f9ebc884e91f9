"""Trainers' own libraries over a real snapshot, each in its own environment: `make trainers`, then `pytest -m trainers`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = Path(__file__).parent / "scripts"
Played = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def played(exported: dict[str, Any]) -> Played:
    """Run a library's script over the snapshot, and return what it printed."""

    def play(name: str) -> dict[str, Any]:
        python = ROOT / ".trainers" / name / "bin" / "python"
        if not python.exists():
            pytest.skip(f"no environment for {name}. Make them: make trainers")
        command = [str(python), str(SCRIPTS / f"play_{name}.py"), exported["path"]]
        done = subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr[-4000:]
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    return play
