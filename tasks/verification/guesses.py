"""Guesses: answers of the right types without any work, none of which a verifier may let pass."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from schemas.answers import AnswerField
from schemas.identity import canonical_json
from schemas.profiles import WorldProfile
from schemas.tasks import AgentTask, Check, GoldRun
from tasks.verification.checks import canonical_changes, evaluate, evaluate_changes
from tasks.verification.mutants.meaning import same_answer
from tasks.verification.refusals import Fault

RANDOM_ANSWERS = 200
WORDS = ("yes", "no", "none", "unknown", "all", "other")


def verifier_fault(task: AgentTask, gold: GoldRun, contract: dict[str, Any], pool: list[str]) -> Fault | None:
    """Return why a verifier is not to be trusted with a gold run: it fails it, or passes what took no work; None when it is.

    No work is nothing done, 200 random answers with texts of the pool, and empty ones. Over a required change a guess that
    happens to be the gold answer is right.
    """
    answer, checks = gold.answer, [check.model_dump() for check in task.checks]
    change = canonical_changes(gold.state_diff, contract)

    def holds(given: Any, changes: list[str]) -> bool:
        return bool(evaluate_changes(checks, given, changes)["outcome"] == "pass")

    if not holds(answer, change):
        return "gold_fails", ""
    if holds(None, []) or (change and holds(answer, [])):
        return "passes_nothing_done", ""
    rng = random.Random(f"{task.id}/guesses")
    for _ in range(RANDOM_ANSWERS):
        guess = random_answer(task.answer_fields, answer, pool, rng)
        if holds(guess, change) and not (change and same_answer(guess, answer)):
            return "passes_random_answer", canonical_json(guess)[:200]
    for empty in (None, {}, {name: None for name in answer}, {name: "" for name in answer}):
        if holds(empty, change):
            return "passes_empty_answer", canonical_json(empty)
    return None


def passes(checks: Sequence[Check], answer: Any, diff: dict[str, Any], contract: dict[str, Any]) -> bool:
    """Say whether checks pass an answer and a change."""
    return bool(evaluate([check.model_dump() for check in checks], answer, diff, contract)["outcome"] == "pass")


def text_pool(frames: Mapping[str, pl.DataFrame], profile: WorldProfile) -> list[str]:
    """Return every distinct label, category and text of a world, sorted: what a guesser could name."""
    pool: set[str] = set(WORDS)
    for table in profile.tables:
        for column in table.columns:
            if column.type == "text" and column.role in ("label", "category", "text", "key"):
                pool.update(frames[table.name][column.name].drop_nulls().unique().to_list())
    return sorted(pool)


def random_answer(
    fields: list[AnswerField], gold: dict[str, Any], pool: list[str], rng: random.Random
) -> dict[str, Any]:
    """Draw a value of the announced type for every field, at the gold's order of magnitude."""
    return {field.name: _random_value(field.type, field, gold[field.name], pool, rng) for field in fields}


def _random_value(kind: str | None, field: AnswerField, gold: Any, pool: list[str], rng: random.Random) -> Any:
    match kind:
        case "integer":
            return rng.randint(0, max(20, 3 * abs(int(gold or 0))))
        case "number":
            return round(rng.uniform(0, max(20.0, 3 * abs(float(gold or 0)))), 2)
        case "boolean":
            return rng.random() < 0.5
        case "date":
            return f"{_year(gold, rng)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        case "datetime":
            day = f"{_year(gold, rng)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
            return f"{day}T{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:00"
        case "list":
            items = gold if isinstance(gold, list) else []
            size = rng.randint(0, len(items) + 1)
            sample = items[0] if items else 0
            return [_random_value(field.item_type, field, sample, pool, rng) for _ in range(size)]
    return rng.choice(pool)


def _year(gold: Any, rng: random.Random) -> str:
    return str(gold)[:4] if gold else str(rng.randint(1990, 2025))
