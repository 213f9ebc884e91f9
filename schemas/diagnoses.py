"""Diagnoses: why a policy fails, where, and what to build against it. Counts and tests by program; words by an author."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas.rounds import Guideline

Cause = Literal[
    "wrong_tool",
    "wrong_argument",
    "missing_lookup",
    "missing_write",
    "extra_write",
    "state_lost",
    "error_ignored",
    "stopped_early",
    "wrong_aggregation",
    "wrong_format",
    "out_of_budget",
    "unexplained",
]
"""Why an attempt failed, by the first place at which it left every way to the goal.

wrong_tool: another tool was called where the gold run's was needed; wrong_argument: the right tool with a value that the
request or the world does not give, or without one that it needs; missing_lookup: a value was used that was never looked up;
missing_write, extra_write: a change was left out or made beside; state_lost: a value that had been seen rightly was mixed
up later; error_ignored: it went on as if a refused or failed call had been done; stopped_early: it ended on the way;
wrong_aggregation: it saw all that was needed and worked the answer out wrongly; wrong_format: the right answer in another
form; out_of_budget: calls or tokens ran out; unexplained: none of these can be shown.
"""
CAUSES: tuple[Cause, ...] = get_args(Cause)


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Failure(_Frozen):
    """One failed attempt, aligned with its task's gold run."""

    rollout_id: str
    task_id: str
    environment_id: str
    cause: Cause
    step: int | None = Field(
        description="place among the attempt's calls at which it went wrong, from 0; None: in the answer"
    )
    gold_step: int | None = Field(description="place in the gold run that was not reached or not matched")
    tool: str | None = Field(description="the gold run's tool there; None: in the answer")
    evidence: str = Field(description="one line, with the values that differ")


class Finding(_Frozen):
    """A cause, a tool or an environment, and whether a policy fails by it more than a uniformly noisy policy does.

    `expected` is what the noisy policy's share predicts for as many failures; `p_value` is one-sided, before correction;
    `named`: it stands after Holm's correction at 5 % over all findings of its kind.
    """

    what: str = Field(description="a Cause, a tool as 'environment_id/tool', or an environment's id")
    failures: int
    expected: float
    p_value: float
    named: bool


class WeakEnvironment(_Frozen):
    """An environment in which a policy fails more than elsewhere, the weakest first."""

    rank: int = Field(ge=1)
    environment_id: str
    theme_name: str
    attempts: int
    failures: int
    causes: dict[Cause, int] = Field(description="failures by cause, the most frequent first")
    finding: Finding


class Findings(_Frozen):
    """What the program finds of a policy in one evaluation, against a control: a uniformly noisy policy on the same tasks."""

    policy_id: str
    control_id: str
    attempts: int
    failures: int
    causes: tuple[Finding, ...] = Field(description="all causes that occur, the most telling first")
    environments: tuple[WeakEnvironment, ...] = Field(description="all with a failure, the most telling first")
    tools: tuple[Finding, ...] = Field(description="all that failures point to, the most telling first")

    @property
    def named_causes(self) -> list[Cause]:
        """The causes that stand, the most telling first."""
        return [cause for finding in self.causes if finding.named for cause in CAUSES if cause == finding.what]


class TaskGuideline(_Frozen):
    """What the next round builds against one weakness in one environment.

    `least` is how many places a task must offer at which the cause can show (`tasks/arena/exercise.py` counts them).
    """

    environment_id: str
    cause: Cause
    lacking: str = Field(description="what the policy lacks, in a sentence")
    tools: tuple[str, ...] = Field((), description="tools that tasks shall use; empty: any")
    shapes: tuple[str, ...] = Field((), description="program shapes that exercise it; empty: any")
    level: int | None = Field(None, ge=1, le=5, description="level to draw at; None: as it comes")
    least: int = Field(1, ge=1)
    growth: Guideline | None = Field(None, description="what to add to the database first; None: it is rich enough")
    rollout_ids: tuple[str, ...] = Field(description="attempts that show it, at most ten")
