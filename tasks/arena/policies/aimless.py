"""The random policy: calls tools at random with valid arguments, and answers values of the right types."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from schemas.arena import PolicyRecord
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policies.sightings import Sightings, made_up_call, plausible
from tasks.arena.policies.toolset import Schema, Toolset
from tasks.arena.policy import Briefing, Call, Say

FEWEST_CALLS, MOST_CALLS = 3, 12
OPTIONAL = 0.2
"""Odds that an argument is given which may be left out."""
MOST_ITEMS = 5
_SCHEMAS: Mapping[str, Schema] = {
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "text": {"type": "string"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "description": "YYYY-MM-DD"},
    "datetime": {"type": "string", "description": "YYYY-MM-DDTHH:MM:SS"},
}


class Aimless:
    """A contender without a plan: what anybody gets by chance."""

    def __init__(self, name: str = "random", seed: int = 0) -> None:
        self.record = PolicyRecord(name=name, kind="scripted", parameters={"seed": seed})
        self._seed = seed

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> AimlessAttempt:
        """Return whoever acts in an attempt; it knows neither program nor gold run."""
        return AimlessAttempt(self.record.name, random.Random(f"{self._seed}/{task.id}/{attempt}"))


class AimlessAttempt:
    """One attempt at random."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.name, self._rng = name, rng

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        """Make some calls and return some answer."""
        tools = Toolset(briefing.tools)
        sightings, listed = Sightings(tools), list(tools)
        for _ in range(self._rng.randint(FEWEST_CALLS, MOST_CALLS) if listed else 0):
            name, arguments = made_up_call(self._rng.choice(listed), sightings, self._rng, OPTIONAL)
            sightings.note(name, call(name, arguments))
        return {field["name"]: self._value(field, sightings) for field in briefing.answer_fields}

    def _value(self, field: Mapping[str, Any], sightings: Sightings) -> Any:
        if field["type"] != "list":
            return plausible(_SCHEMAS[field["type"]], field["name"], sightings, self._rng)
        schema = _SCHEMAS.get(field.get("item_type") or "text", _SCHEMAS["text"])
        items = range(self._rng.randint(1, MOST_ITEMS))
        return [plausible(schema, field["name"], sightings, self._rng) for _ in items]
