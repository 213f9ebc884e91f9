"""A person's attempt: what was done at the prompt, as a rollout like any other."""

from __future__ import annotations

import time

from schemas.arena import PolicyRecord
from schemas.rollouts import Rollout, RolloutStep
from schemas.tasks import Verdict
from tasks.serving.play import Play

PERSON = PolicyRecord(name="person", kind="person")
"""Whoever sits at the prompt: who it is, is not asked."""


def attempt_of(play: Play, task_id: str, environment_id: str, number: int) -> Rollout:
    """Return a person's attempt, which ends now. Raises ValueError for one that was left without a verdict."""
    if play.verdict is None:
        raise ValueError("an attempt without a verdict is none")
    verdict = {name: play.verdict[name] for name in Verdict.model_fields}
    steps = [
        RolloutStep(kind="call", tool=tool, arguments=arguments, observation=observation)
        for tool, arguments, observation in play.trace
    ]
    return Rollout(
        policy=PERSON.name,
        task_id=task_id,
        environment_id=environment_id,
        attempt=number,
        stop_reason="gave_up" if play.answer is None else "answered",
        answer=play.answer,
        steps=steps,
        state_diff=play.change,
        verdict=Verdict.model_validate(verdict),
        started_at=play.began,
        finished_at=time.time(),
    )
