"""verl's reward function, for whoever trains with another agent loop than the snapshot's, which needs none.

The calls that a policy wrote are made again in a fresh world, which answers them as before; what that leaves is judged with the
answer. Followed: verl 0.9.1, `compute_score(data_source, solution_str, ground_truth, extra_info)`, and calls as the
parser "hermes" takes them: <tool_call>{"name": …, "arguments": {…}}</tool_call>.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from ..reader import Snapshot
from .attempt import Attempt

FOLDER = Path(__file__).resolve().parents[3]
"""The snapshot that this file lies in."""
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_RESPONSE = "</tool_response>"


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: dict[str, Any] | None = None, **_: Any
) -> float:
    """Return 1 for an attempt that passes and 0 for one that fails. RuntimeError where nobody can tell: it is no 0."""
    found = reward_of(snapshot_in(FOLDER), json.loads(ground_truth)["task_id"], solution_str)
    if found is None:
        raise RuntimeError(f"no verdict on {ground_truth}: its final state cannot be read")
    return found


def reward_of(snapshot: Snapshot, task_id: str, solution: str) -> float | None:
    """Return what an attempt at a task is worth, from the text of all that was said in it; None where nobody can tell."""
    with closing(Attempt(snapshot, task_id)) as attempt:
        for tool, arguments in calls_in(solution):
            attempt.call(tool, arguments)
        return attempt.reward(solution.rpartition("</tool_call>")[2].rpartition(_RESPONSE)[2])


def calls_in(solution: str) -> Iterator[tuple[str, Any]]:
    """Yield the calls in a text, (tool, arguments), in their order; what the parser would not take is passed over."""
    for found in _CALL.finditer(solution):
        try:
            call = json.loads(found[1])
            yield str(call["name"]), call["arguments"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue


@cache
def snapshot_in(folder: Path) -> Snapshot:
    """Return the snapshot in a folder, read once."""
    return Snapshot(folder)
