"""Random answers of the right type: what a verifier must not let pass."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

from schemas.answers import AnswerField
from schemas.profiles import WorldProfile

WORDS = ("yes", "no", "none", "unknown", "all", "other")


def text_pool(frames: dict[str, pl.DataFrame], profile: WorldProfile) -> list[str]:
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
