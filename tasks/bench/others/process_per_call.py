"""One process a call, as code interpreters do it: nothing stays warm between two calls."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tasks.bench.others.workspaces import fresh_copy
from tasks.bench.rollouts import Outcome, state_of
from tasks.bench.subject import rollout_calls
from tasks.world.bundle import DATABASE, Bundle

SCRIPT = Path(__file__).with_name("one_call.py")


class ProcessPerCall:
    """Rollouts whose every call starts an interpreter. May be used from many threads."""

    def __init__(self, bundle: Bundle, scratch: Path) -> None:
        self._bundle, self._scratch = bundle, scratch

    def roll_out(self, number: int) -> Outcome:
        """Do rollout `number`."""
        with fresh_copy(self._bundle, self._scratch) as workspace:
            observations = [self._call(workspace, name, arguments) for name, arguments in rollout_calls(number)]
            return Outcome(observations, state_of(self._bundle, workspace / DATABASE))

    def _call(self, workspace: Path, name: str, arguments: dict[str, Any]) -> Any:
        command = [sys.executable, "-I", "-S", str(SCRIPT), str(self._bundle.tools_source), name]
        ended = subprocess.run(
            [*command, json.dumps(arguments)], cwd=workspace, stdout=subprocess.PIPE, check=True, timeout=60
        )
        return json.loads(ended.stdout)
