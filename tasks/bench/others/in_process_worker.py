"""A process that execs the tools in itself, as the official Agent-World release does, and answers on stdout.

Requests are JSON lines on stdin: {"roll_out": number}, {"repeat": seconds} (rollouts until then; how
many), {"time": {"write": bool, "seconds": number}} (median milliseconds of one call).
"""

from __future__ import annotations

import json
import os
import sys
from itertools import count
from pathlib import Path
from types import CodeType
from typing import Any

from tasks.bench.others import unsynced
from tasks.bench.others.workspaces import fresh_copy
from tasks.bench.rollouts import state_of
from tasks.bench.sampling import looping, median_ms
from tasks.bench.subject import read_call, rollout_calls, write_call
from tasks.world.bundle import DATABASE, Bundle


def main(folder: str, scratch: str) -> None:
    """Answer requests about the bundle in `folder` until stdin ends."""
    unsynced.install()
    bundle = Bundle.load(Path(folder))
    code = compile(bundle.tools_source.read_text(encoding="utf-8"), "tools.py", "exec", dont_inherit=True)
    numbers = count()

    def handle(request: dict[str, Any]) -> Any:
        match request:
            case {"roll_out": number}:
                return _roll_out(bundle, code, Path(scratch), number)
            case {"repeat": seconds}:
                return looping(lambda: _roll_out(bundle, code, Path(scratch), next(numbers)))(0, seconds)
            case {"time": {"write": write, "seconds": seconds}}:
                return _time_call(bundle, code, Path(scratch), write, seconds)
        raise ValueError(f"no such request: {request}")

    for line in sys.stdin:
        print(json.dumps(handle(json.loads(line))), flush=True)


def _roll_out(bundle: Bundle, code: CodeType, scratch: Path, number: int) -> dict[str, Any]:
    with fresh_copy(bundle, scratch) as workspace:
        tools = _load(code, workspace)
        observations = [tools[name](**arguments) for name, arguments in rollout_calls(number)]
        state_id = state_of(bundle, workspace / DATABASE)
        unsynced.close_all()
    return {"observations": observations, "state_id": state_id}


def _time_call(bundle: Bundle, code: CodeType, scratch: Path, write: bool, seconds: float) -> float:
    called = write_call if write else read_call
    with fresh_copy(bundle, scratch) as workspace:
        tools = _load(code, workspace)

        def act(number: int) -> None:
            name, arguments = called(number)
            tools[name](**arguments)

        taken = median_ms(act, seconds)
        unsynced.close_all()
    return taken


def _load(code: CodeType, workspace: Path) -> dict[str, Any]:
    os.chdir(workspace)
    tools: dict[str, Any] = {"__name__": "tools"}
    exec(code, tools)
    return tools


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
