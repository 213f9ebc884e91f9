"""Profiles: how much a training is, from what shows on two cores that something is learned to the paper's settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """Settings of a training: supervised steps on conversations first, then GRPO steps.

    tasks: those with the fewest calls that are trained on, 0: all. few_tools: only tools that their gold runs call are
    offered. A GRPO step is `tasks_a_step` tasks of `group` attempts each. `clip_low`, `clip_high`, `kl`: of the objective.
    `tokens`: most tokens of an attempt, results of calls included; `turns`: most turns with calls.
    """

    tasks: int = 0
    few_tools: bool = False
    warm_steps: int = 0
    warm_rate: float = 1e-5
    warm_batch: int = 8
    steps: int = 200
    rate: float = 1e-6
    tasks_a_step: int = 32
    group: int = 8
    temperature: float = 1.0
    clip_low: float = 0.2
    clip_high: float = 0.28
    kl: float = 0.001
    tokens: int = 32_768
    turns: int = 60
    save_every: int = 20


PROFILES = {
    "paper": Profile(),
    "tiny": Profile(
        tasks=8, few_tools=True, warm_steps=100, warm_rate=4e-3, steps=25, rate=2e-4, tasks_a_step=8, kl=0.0, tokens=600,
        turns=3, save_every=5,
    ),
}  # fmt: skip
"""paper: GRPO as the paper's section 6 has it. tiny: a random model with a tokenizer of its own, minutes on two cores."""
