"""Scripted policies: they know a task's program and work it off, with ailments, slips and detours, all of them seeded.

Without any of these a policy is perfect. With a floor it is noisy: so large a share of its attempts has one lapse, drawn
evenly from those that have a place in the task.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from schemas.arena import PolicyRecord
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policies.lapses import Ailing, Ailment, Chance, Once
from tasks.arena.policies.places import count_places, needed_calls
from tasks.arena.policies.roaming import Detours, Roaming, exchange_reads
from tasks.arena.policies.toolset import Toolset
from tasks.arena.policy import Briefing, Call, Say


class Scripted:
    """A contender that knows the programs.

    `floor`: share of attempts with one lapse at random; `detours`: odds of a harmless detour at each call. What it does in
    an attempt follows from the seed, the task and the attempt's number alone.
    """

    def __init__(
        self, name: str, ailments: Sequence[Ailment] = (), floor: float = 0.0, detours: float = 0.0, seed: int = 0
    ) -> None:
        self.record = PolicyRecord(name=name, kind="scripted", parameters={"seed": seed})
        self.ailments, self.floor, self.detours, self.seed = tuple(ailments), floor, detours, seed

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> ScriptedAttempt:
        """Return whoever acts in an attempt; whether it slips and where it takes detours is drawn by then."""
        return ScriptedAttempt(self, task, gold, attempt)


class ScriptedAttempt:
    """One attempt of a scripted policy.

    `certain`: it will do just what the gold run did. `interfered`, after it: how often it did something else.
    """

    def __init__(self, contender: Scripted, task: AgentTask, gold: GoldRun, attempt: int) -> None:
        self.name = contender.record.name
        self.interfered = 0
        self._task, self._gold = task, gold
        self._stem = f"{contender.seed}/{task.id}/{attempt}"
        self._slips = self._rng("floor").random() < contender.floor
        self._detours = Detours(contender.detours, needed_calls(gold), self._rng("detours"))
        tools = {step.tool for step in gold.steps}
        self._ailments = [
            each
            for each in contender.ailments
            if any(each.holds_at(task.environment_id, tool) for tool in (*tools, None))
        ]
        self.certain = not (self._slips or self._detours.drawn or self._ailments)

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        """Work the task's program off and return the answer; None where nothing of it can be told."""
        tools, program, fields = Toolset(briefing.tools), self._task.program, self._task.answer_fields
        if self._detours.exchanges:
            program = exchange_reads(program, tools, self._detours.rng)
        chances: list[Chance] = [
            Ailing(each, self._task.environment_id, self._rng(f"ailment {number}"))
            for number, each in enumerate(self._ailments)
        ]
        if self._slips:
            chances += Once.among(count_places(program, self._gold, tools, fields), self._rng("slip"))
        worker = Roaming(call, tools, chances, needed_calls(self._gold), self._rng("values"), self._detours)
        try:
            answer = worker.work(program, fields)
        finally:
            self.interfered = worker.interfered + (program != self._task.program)
        if worker.fault is not None:
            say(f"I cannot go on: {worker.fault!r}")
        return answer

    def _rng(self, purpose: str) -> random.Random:
        """Return numbers of their own for each purpose, so that one does not shift another."""
        return random.Random(f"{self._stem}/{purpose}")
