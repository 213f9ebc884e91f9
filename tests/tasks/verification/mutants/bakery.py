"""A proven task over a hand-made world: loaves are sold, each sale is minted a key and read off the clock."""

from __future__ import annotations

import polars as pl

from schemas.answers import AnswerField
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.programs import Const, Program
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep
from tasks.verification.mutants.subject import Proven
from tasks.verification.rubrics import build_checks

CONTRACT = {
    "writable": ["loaves", "sales"],
    "generated_keys": {"sales": "sale_id"},
    "clock_columns": {"sales": ["sold_at"]},
    "log_tables": ["log"],
    "references": {"sales": {"loaf_id": "loaves"}},
}
FRAMES = {
    "loaves": pl.DataFrame({"loaf_id": [1, 2, 3], "name": ["rye", "spelt", "oat"], "stock": [4, 9, 7]}),
    "sales": pl.DataFrame({"sale_id": ["s1", "s2"], "loaf_id": [1, 3], "pieces": [1, 2], "sold_at": ["a", "b"]}),
    "log": pl.DataFrame({"log_id": [1, 2], "text": ["opened", "closed"]}),
}
FIELDS = [
    AnswerField(name="bread", type="text", description="the loaf"),
    AnswerField(name="other_bread", type="text", description="the other loaf"),
    AnswerField(name="left", type="integer", description="what is left"),
    AnswerField(name="mean", type="number", description="mean price", tolerance=0.01),
    AnswerField(name="day", type="date", description="the day"),
    AnswerField(name="at", type="datetime", description="the time"),
    AnswerField(name="fresh", type="boolean", description="whether fresh"),
    AnswerField(name="names", type="list", item_type="text", description="names in order"),
]
ANSWER = {
    "bread": "rye", "other_bread": "oat", "left": 3, "mean": 2.5, "day": "2026-01-31", "at": "2026-01-31T23:59:00",
    "fresh": True, "names": ["rye", "spelt", "oat"],
}  # fmt: skip
CHANGE = {
    "loaves": {"inserted": [], "updated": [{"key": 1, "old": {"stock": 4}, "new": {"stock": 3}}], "deleted": []},
    "sales": {
        "inserted": [{"sale_id": "s3", "loaf_id": 1, "pieces": 1, "sold_at": "c"}],
        "updated": [],
        "deleted": [{"sale_id": "s1", "loaf_id": 1, "pieces": 1, "sold_at": "a"}],
    },
}


def profile() -> WorldProfile:
    """Return the profile of the bakery's tables."""
    return WorldProfile(
        tables=[_table("loaves", "loaf_id", "stock"), _table("sales", "sale_id", "pieces"), _table("log", "log_id")]
    )


def _table(name: str, key: str, *numbers: str) -> TableProfile:
    columns = [
        ColumnProfile(
            name=column,
            type="integer" if column in numbers or FRAMES[name].schema[column].is_integer() else "text",
            role="key" if column == key else "text",
            nullable=False,
            distinct=2,
            words=column,
        )
        for column in FRAMES[name].columns
    ]
    return TableProfile(
        name=name, singular=name, plural=name, kind="event", rows=FRAMES[name].height, columns=columns, key=key,
        key_is_opaque=False,
    )  # fmt: skip


def proven(fields: list[AnswerField] = FIELDS, checks: list[Check] | None = None, change: dict = CHANGE) -> Proven:  # type: ignore[type-arg]
    """Return the task with these fields of the answer; `checks` in the place of those that the factory generates."""
    answer = {field.name: ANSWER[field.name] for field in fields}
    task = AgentTask(
        id="task_bakery",
        environment_id="env_bakery",
        kind="programmatic",
        shape="sell",
        author="rules",
        language="en",
        request="Sell a loaf.",
        answer_fields=fields,
        expected_answer=answer,
        expected_change=change,
        requires_change=bool(change),
        program=Program(body=(), answer={"left": Const(value=3)}),
        solution="def solve(call):\n    return {}\n",
        checks=[],
        gold_calls=1,
        unique_tools=1,
        seed=0,
    )
    task = task.model_copy(update={"checks": checks or build_checks(task, answer, change, CONTRACT)})  # type: ignore[arg-type]
    step = GoldStep(
        index=0,
        tool="sell",
        arguments={"loaf_id": 1, "pieces": 1},
        observation={},
        observation_sha256="",
        read_only=False,
    )
    gold = GoldRun(task_id=task.id, steps=[step], answer=answer, state_id="", state_diff=change)
    return Proven(task, gold, CONTRACT, profile(), FRAMES)
