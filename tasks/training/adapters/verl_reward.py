"""verl's reward function, for whoever trains with another agent loop than the snapshot's, which needs none.

The calls that a policy wrote are made again in a fresh world, which answers them as before; what that leaves is judged with the
answer. Followed: verl 0.9.1, `compute_score(data_source, solution_str, ground_truth, extra_info)`, and calls as the
parser "hermes" takes them: <tool_call>{"name": …, "arguments": {…}}</tool_call>.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..reader import Snapshot
from .attempt import own_snapshot, replayed_reward

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_RESPONSE = "</tool_response>"


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: dict[str, Any] | None = None, **_: Any
) -> float:
    """Return 1 for an attempt that passes and 0 for one that fails. RuntimeError where nobody can tell: it is no 0."""
    found = reward_of(own_snapshot(), json.loads(ground_truth)["task_id"], solution_str)
    if found is None:
        raise RuntimeError(f"no verdict on {ground_truth}: its final state cannot be read")
    return found


def reward_of(snapshot: Snapshot, task_id: str, solution: str) -> float | None:
    """Return what an attempt at a task is worth, from the text of all that was said in it; None where nobody can tell."""
    last_message = solution.rpartition("</tool_call>")[2].rpartition(_RESPONSE)[2]
    return replayed_reward(snapshot, task_id, calls_in(solution), last_message)


def calls_in(solution: str) -> Iterator[tuple[str, Any]]:
    """Yield the calls in a text, (tool, arguments), in their order; what the parser would not take is passed over."""
    for found in _CALL.finditer(solution):
        try:
            call = json.loads(found[1])
            yield str(call["name"]), call["arguments"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
