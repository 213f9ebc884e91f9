"""Running: one script of a model in a jailed worker, on a private copy of its files."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from importlib.resources import files as package_files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.sandbox.errors import WorkerFault
from tasks.world.bundle import DATABASE, write_bundle
from tasks.world.session import World

CLOCK_START = "2024-01-01T09:00:00"
"""What a script's clock shows first: equal scripts over equal files answer alike."""


class ScriptRun(BaseModel):
    """What a script did: it printed, it wrote texts by path, and it failed with `error`, unless that is ''."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    printed: str = ""
    saved: dict[str, str] = {}
    error: str = ""


def run_script(sandbox: World, code: str, files: Mapping[str, bytes]) -> ScriptRun:
    """Run a script that may read `files` (path → bytes) and writes into the returned `saved` alone.

    In it `load(path)` reads json, `save(path, value)` writes it, `open` does both, and print is kept. It has the standard
    library and no network; its time and memory are the sandbox's limits. What it says of itself is not to be trusted.
    """
    guest = (package_files(__package__) / "guest.py").read_text("utf-8")
    source = f"{guest}\n\ndef solve(call):\n    return run_code({code!r})\n"
    with tempfile.TemporaryDirectory(prefix="script-", dir=sandbox.folder) as folder:
        (Path(folder) / DATABASE).touch()
        bundle = write_bundle(
            Path(folder), environment_id="script", world_sha256="", clock_start=CLOCK_START, contract={},
            tools_source="", tools=[], files=files,
        )  # fmt: skip
        try:
            with sandbox.open(bundle, seed="script") as session:
                run = session.run_program(source)
        except (WorkerFault, OSError) as fault:
            return ScriptRun(error=f"no worker could be started: {fault}")
    if run.answer is None:
        return ScriptRun(error=run.error or "it did not end")
    try:
        return ScriptRun.model_validate(run.answer)
    except ValidationError:
        return ScriptRun(error="what it returned is no report of a run")
