"""WHAT: say why a policy fails in a round of the arena, and what to build against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prefect import get_run_logger, task

from schemas.diagnoses import Failure, Findings, TaskGuideline
from schemas.errors import UsageError
from schemas.rollouts import KeptRollout
from schemas.settings import AuthorSettings, Settings
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.diagnosis.causes import classify
from tasks.arena.diagnosis.findings import Judged, find
from tasks.arena.guidelines import guide
from tasks.arena.kept import is_judged
from tasks.authors.llm.diagnostician.agent import diagnose as ask_diagnostician
from tasks.authors.llm.diagnostician.diagnosis import Diagnosis
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.react.loop import ToolFault
from tasks.authorship import models_for
from tasks.contenders import CONTROL, CONTROL_SEED, contender_of
from tasks.mining.search.searxng import SearxngProvider
from tasks.policies import clocked, is_transient, stamp_of
from tasks.resources import sandbox_of
from warehouse.published import Published
from warehouse.rows import (
    Stamp,
    latest_round,
    load_environment,
    load_pool,
    load_rollouts,
    load_tools,
    save_claims,
    save_findings,
)
from warehouse.store import Warehouse

QUERY_S = 20.0
"""Longest query of a diagnostician."""


@dataclass(frozen=True)
class Diagnosed:
    """What was found of a policy in a round, and what the next round is to build."""

    round: int
    policy_id: str
    control_id: str
    findings: Findings
    guidelines: list[TaskGuideline]


# Not cached: what is counted changes with every attempt that is made again. Retried: the warehouse's lock.
@task(task_run_name="diagnose {policy}", retries=2, retry_delay_seconds=[1, 4], retry_condition_fn=is_transient)
def diagnose_policy(policy: str, number: int | None, run_id: str, seed: int, authors: AuthorSettings) -> Diagnosed:
    """Classify a policy's failed attempts in the arena of round `number` (None: the latest), find what stands out, and store it.

    A model is asked for causes beside it where it is the diagnostician. Raises UsageError without attempts of the policy or
    of the control.
    """
    settings = Settings()
    warehouse, stamp = Warehouse(settings.home), stamp_of(run_id, seed, "rules")
    policy_id = contender_of(policy, settings, seed, run_id).record.id
    control_id = contender_of(CONTROL, settings, CONTROL_SEED).record.id
    if policy_id == control_id:
        raise UsageError(
            f"{policy} with seed {seed} is the control itself. Diagnose it with another seed: --seed {seed + 1}"
        )
    with warehouse.together() as live:
        chosen = latest_round(live) if number is None else number
        environments = [row for row in live.rows("round_environments", round=chosen) if row["pool"] == "arena"]
    with clocked(warehouse, stamp, "diagnose", f"{policy_id}/{chosen}") as work:
        found, control = Evidenced(), Evidenced()
        for row in environments:
            _read_environment(warehouse, row, chosen, {policy_id: found, control_id: control})
        _require_attempts(policy, chosen, found, control)
        findings = find(policy_id, control_id, found.judged, control.judged)
        guidelines = guide(findings, found.failures, found.tasks, found.tools)
        save_findings(warehouse, findings, found.failures, guidelines, stamp, chosen)
        work.counts.update(failures=len(found.failures), named=len(findings.named_causes), guidelines=len(guidelines))
    if authors.diagnostician == "llm":
        _ask_model(settings, warehouse, policy_id, chosen, authors, stamp_of(run_id, seed, "llm"))
    get_run_logger().info(
        "stage=diagnose policy=%s round=%d attempts=%d failures=%d causes=%s guidelines=%d",
        *(policy, chosen, findings.attempts, findings.failures, ",".join(findings.named_causes) or "none"),
        len(guidelines),
    )
    return Diagnosed(chosen, policy_id, control_id, findings, guidelines)


@dataclass
class Evidenced:
    """A policy's attempts as far as they were read: each judged, what failed, and the tasks and tools that it was about."""

    judged: list[Judged] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    tasks: dict[str, tuple[AgentTask, GoldRun]] = field(default_factory=dict)
    tools: dict[str, dict[str, Tool]] = field(default_factory=dict)

    def add(
        self,
        theme: str,
        kept: Sequence[KeptRollout],
        tasks: Mapping[str, tuple[AgentTask, GoldRun]],
        tools: Sequence[Tool],
        contract: dict[str, Any],
    ) -> None:
        """Take in a policy's attempts in one environment; those that nobody could judge count nothing."""
        for one in kept:
            rollout = one.rollout
            if rollout.task_id in tasks and is_judged(rollout):
                task, gold = tasks[rollout.task_id]
                failure = classify(one.id, rollout, task, gold, tools, contract)
                self.judged.append(Judged(one.id, task.id, task.environment_id, theme, failure))
                self.failures += [failure] if failure else []
                self.tools[task.environment_id] = {tool.name: tool for tool in tools}
        self.tasks |= tasks


def _read_environment(
    warehouse: Warehouse, row: dict[str, Any], number: int, policies: Mapping[str, Evidenced]
) -> None:
    """Read the attempts of policies (by id) in one environment of the round. One after the other: a round's steps are large."""
    environment_id = row["environment_id"]
    with warehouse.together() as live:
        tasks = {task.id: (task, gold) for task, gold in load_pool(live, ["arena"], number, environment_id)}
        contract = load_environment(live, environment_id).contract.model_dump()
        tools = load_tools(live, environment_id)
        rollouts = {policy_id: load_rollouts(live, policy_id, number, environment_id) for policy_id in policies}
    for policy_id, evidenced in policies.items():
        evidenced.add(row["theme_name"], rollouts[policy_id], tasks, tools, contract)


def _require_attempts(policy: str, number: int, found: Evidenced, control: Evidenced) -> None:
    run = f"factory evaluate --policy {policy} --round {max(1, number)}"
    if not found.judged:
        raise UsageError(f"no attempts of {policy} in round {number} were judged. Run: {run}")
    if not control.judged:
        raise UsageError(f"round {number} has no attempts of the control {CONTROL}. Let it make them: {run} --control")


def _ask_model(
    settings: Settings, warehouse: Warehouse, policy_id: str, number: int, authors: AuthorSettings, stamp: Stamp
) -> None:
    """Let a model name causes, and store those that the warehouse bears out."""
    with models_for(settings, authors, ("diagnostician",), warehouse, stamp) as models, sandbox_of(settings) as sandbox:
        assert models is not None
        search = SearxngProvider(settings.search.searxng_url) if settings.search.searxng_url else None
        evidence = Evidence(policy_id, PublishedRows(Published(settings.home)), sandbox, search, round=number)
        diagnosis = ask_diagnostician(models.role("diagnostician", policy_id), evidence, settings.llm.turns)
    save_claims(warehouse, policy_id, number, claims_of(diagnosis), stamp)


def claims_of(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Return the causes of a model that stand, with where the policy stands in their environment."""
    return [
        {"rank": weak.rank, "pass_rate": weak.passed / weak.attempts, **claim.model_dump(mode="json")}
        for weak in diagnosis.weak
        for claim in weak.causes
    ]


@dataclass(frozen=True)
class PublishedRows:
    """A diagnostician's door to what is published: a query that fails, or takes too long, is told to the model."""

    published: Published

    def rows(self, sql: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run one query; ToolFault with the message when it is wrong, not allowed or stopped."""
        try:
            return self.published.sql(sql, params, within_s=QUERY_S).records()
        except UsageError as error:
            raise ToolFault(str(error)) from error
