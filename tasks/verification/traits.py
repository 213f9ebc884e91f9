"""Traits of a task: what its gold run shows of writes, documents, rules and recovered errors, and whether memory would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.environments import Environment
from schemas.programs import Program
from schemas.tasks import GoldRun, GoldStep, Trait
from schemas.tools import Tool
from tasks.verification.difficulty import tables_of
from tasks.verification.lint import calls_of
from tasks.world.refusals import is_refusal


def traits_of(program: Program, gold: GoldRun, environment: Environment, tools: Mapping[str, Tool]) -> list[Trait]:
    """Return what a program's gold run shows, sorted; the run is minimal, so that what it reads is needed."""
    policies = {document.path for document in environment.documents if any(fact.rule for fact in document.facts)}
    writes = any(not tools[call.tool].read_only for call in calls_of(program.body))
    shown: dict[Trait, bool] = {
        "changes": bool(gold.state_diff),
        "document": any(tools[step.tool].intent.get("documents") for step in gold.steps),
        "policy": any(step.arguments.get("path") in policies for step in gold.steps if step.read_only),
        "recovery": _recovers(gold.steps),
        "unchanged": writes and not gold.state_diff,
    }
    return sorted(trait for trait, holds in shown.items() if holds)


def _recovers(steps: Sequence[GoldStep]) -> bool:
    """Say whether a call fails and is made again, or is refused and another write follows."""
    for place, step in enumerate(steps):
        if is_refusal(step.observation):
            later = steps[place + 1 :]
            if any(not other.read_only or other.tool == step.tool for other in later):
                return True
    return False


def is_from_memory(gold: GoldRun, environment: Environment, tools: Mapping[str, Tool]) -> bool:
    """Say whether a gold run reads nothing but what was mined, which a model may know by heart.

    New to everybody are rows that were laid over the mined ones, columns that were simulated, documents that were
    written for this world, and what becomes of a write, done or refused.
    """
    new = {
        table.name
        for table in environment.profile.tables
        if table.kind == "operational" or any(column.origin == "simulated" for column in table.columns)
    }
    written = {document.path for document in environment.documents if document.origin == "written"}
    return not any(
        not step.read_only or step.arguments.get("path") in written or not new.isdisjoint(tables_of(tools[step.tool]))
        for step in gold.steps
    )
