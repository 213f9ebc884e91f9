"""What a world's workers can do; the sandbox's fork server imports this (see `sandbox/worker.py`)."""

from __future__ import annotations

import importlib
from typing import Any

from ..sandbox.worker import Operation
from . import databases, determinism
from .program import run_program
from .spending import SPENT, spent_here
from .toolbox import Toolbox, compile_tools

WARM = """
    bisect calendar collections contextlib copy csv dataclasses datetime decimal enum fractions functools hashlib heapq
    html html.parser io itertools json math operator random re secrets sqlite3 statistics string textwrap typing unicodedata uuid zoneinfo
""".split()
"""What tools usually import; anything else in the standard library is loaded when asked for."""


def warm() -> None:
    """Import what tools use and make this process and its workers deterministic."""
    for name in WARM:
        importlib.import_module(name)
    determinism.patch()
    databases.install()


def prepare(options: dict[str, Any]) -> dict[str, Operation]:
    """Return the operations of one session.

    Options: environment_id, seed, clock_start, disturbances.
    """
    toolbox = Toolbox()

    def restart(payload: dict[str, Any]) -> None:
        databases.roll_back_open_transactions()
        determinism.REALITY.begin(options["environment_id"], payload["seed"], options["clock_start"])
        toolbox.disturb(payload["disturbances"])

    def compile_payload(payload: dict[str, Any]) -> str:
        return compile_tools(payload["source"], payload["schemas"])

    def call(payload: dict[str, Any]) -> dict[str, Any]:
        observation = toolbox.call(payload["name"], payload["arguments"], payload["index"])
        return {"value": observation.value, "fault": observation.fault}

    def call_all(payload: dict[str, Any]) -> list[dict[str, Any]]:
        numbered = enumerate(payload["calls"], payload["index"])
        return [call({"name": name, "arguments": given, "index": index}) for index, (name, given) in numbered]

    def run(payload: dict[str, Any]) -> dict[str, Any]:
        return run_program(toolbox, payload["source"], payload["first"], payload["skip"], payload["most_calls"])

    restart(options)
    return {
        "compile": compile_payload,
        "load": toolbox.load,
        "restart": restart,
        "call": call,
        "call_all": call_all,
        "run_program": run,
        SPENT: spent_here,
    }
