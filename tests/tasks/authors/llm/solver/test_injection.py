"""What a tool returns is data: an order in it reaches the model between fences alone, shortened or not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tasks.arena.policy import Briefing
from tasks.authors.llm.solver.agent import EndpointPolicy
from tests.tasks.authors.llm.scripted import call
from tests.tasks.authors.llm.solver.solving import Given, ScriptedSolver
from tests.tasks.authors.llm.test_injection import INJECTIONS, outside_fences

NOTE = {
    "name": "get_note",
    "description": "Get a note.",
    "inputSchema": {"type": "object", "properties": {}},
    "readOnly": True,
}
BRIEFING = Briefing("What does the note say?", "en", [{"name": "said", "type": "text", "description": "it"}], [NOTE])


def told_outside_fences(result: Any, most_tokens: int) -> list[list[str]]:
    """Return what stands outside the fences of each request, when each of three calls returns this; numbers are left out."""

    def read(tool: str, arguments: dict[str, Any]) -> Any:
        return result

    model = ScriptedSolver("solver", [call("get_note")] * 3 + [Given(answer={"said": "no"})])
    assert EndpointPolicy(model, 9, most_tokens).act(BRIEFING, read, lambda said: None) == {"said": "no"}
    return [
        [re.sub(r"data-[0-9a-f]+|\d+", "", outside_fences(message.content)) for message in messages]
        for messages in model.seen
    ]


@pytest.mark.parametrize("most_tokens", [80_000, 1], ids=["whole", "shortened"])
@pytest.mark.parametrize("attack", sorted(INJECTIONS))
def test_an_order_in_a_result_stays_between_fences(attack: str, most_tokens: int) -> None:
    error = {"error": {"code": "not_found", "message": INJECTIONS[attack]}}
    usual = told_outside_fences("nothing " * 80, most_tokens)
    assert told_outside_fences(INJECTIONS[attack] * 9, most_tokens) == usual
    assert told_outside_fences({"notes": [error] * 9}, most_tokens) == usual
