"""The quality gate: what a mined world is held to, by its rows and across its tables.

The profile says what mining believed; suites made from it are checked on the frames, which may say
otherwise, and on the database written from them. Beside that stand expectations that no profile
implies: traces of careless reading, columns that say nothing, values that nobody has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from schemas.operations import Operations
from schemas.profiles import WorldProfile
from schemas.quality import QualityResult
from tasks.mining.environments import clock_start
from tasks.mining.quality.columns import column_batch
from tasks.mining.quality.database import check_database
from tasks.mining.quality.expected import Batch, Expected, listed, seen
from tasks.mining.quality.tables import mined_tables, table_batches
from tasks.mining.quality.texts import text_batch
from tasks.mining.quality.validation import Outcome, validate

_MOST_NAMED = 5


def judge_world(
    profile: WorldProfile,
    frames: dict[str, pl.DataFrame],
    database: Path,
    operations: Sequence[Operations] = (),
    start: str | None = None,
) -> list[QualityResult]:
    """Return what was expected of the world and what was found, tables first, equal for equal arguments.

    `frames` are the mined tables (others are passed over) and `database` the file written from them, with
    the tables that `operations` are about; what these state is asked of their rows. `start` is the clock's
    first reading (YYYY-MM-DDTHH:MM:SS; None: what follows from the mined tables). Passed expectations about columns are
    told once a table, failed ones once a column. Raises KeyError when a mined table has no frame.
    """
    tables = [_world_batch(profile, frames), *table_batches(profile, frames)]
    views = [column_batch(profile, frames), text_batch(profile, frames)]
    outcomes = validate([*tables, *views])
    results: list[QualityResult] = []
    for found in outcomes[: len(tables)]:
        results += [_of_table(outcome) for outcome in found]
    for view, found in zip(views, outcomes[len(tables) :], strict=True):
        for outcome in found:
            results += _of_view(view, outcome)
    return [*results, *check_database(database, profile, operations, start or clock_start(profile))]


def refusal(results: Sequence[QualityResult]) -> str | None:
    """Return None when no critical expectation failed, else one line that names those that did."""
    failed = [result for result in results if result.severity == "critical" and not result.passed]
    if not failed:
        return None
    named = [f"{_place(result)}{result.expectation} ({result.unexpected} of {result.checked})" for result in failed]
    more = f"; and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    noun = "expectation" if len(failed) == 1 else "expectations"
    return f"{len(failed)} critical {noun} failed: {'; '.join(named[:_MOST_NAMED])}{more}"


def _place(result: QualityResult) -> str:
    names = [name for name in (result.table, result.column) if name]
    return f"{'.'.join(names)} " if names else ""


def _world_batch(profile: WorldProfile, frames: dict[str, pl.DataFrame]) -> Batch:
    """Return the view of the world's tables, of which one at least has a row."""
    heights = [(table.name, frames[table.name].height) for table in mined_tables(profile)]
    arguments = {"column": "rows", "min_value": 1}
    expected = Expected(
        "expect_world_to_have_rows", "ExpectColumnSumToBeBetween", arguments, "critical", "a row in some table"
    )
    return Batch(
        "tables", pl.DataFrame(heights, schema={"table": pl.String, "rows": pl.Int64}, orient="row"), [expected]
    )


def _of_table(outcome: Outcome) -> QualityResult:
    expected = outcome.expected
    found = ""
    if outcome.examples and not outcome.passed:
        found = f"; {outcome.unexpected} of {outcome.checked} rows break it: {listed(outcome.examples)}"
    elif not outcome.passed:
        found = f"; found {listed([outcome.observed])}"
    return QualityResult(
        suite="table",
        table=expected.table,
        column=expected.column,
        expectation=expected.name,
        severity=expected.severity,
        passed=outcome.passed,
        checked=outcome.checked,
        unexpected=outcome.unexpected,
        detail=f"expected {expected.says}{found}",
    )


def _of_view(view: Batch, outcome: Outcome) -> list[QualityResult]:
    """Return an outcome about all columns as results about columns that failed, and tables that passed."""
    expected = outcome.expected
    if not outcome.passed and not outcome.rows:
        return [_of_table(outcome)]
    figure = expected.arguments["column"]
    broken: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in outcome.rows:
        broken[row["table"], row["column"]].append(row[figure])
    asked = view.frame.filter(pl.col(figure).is_not_null())
    results = []
    for (table, column), values in broken.items():
        rows = asked.filter(pl.col("table") == table, pl.col("column") == column)
        results.append(_failed(expected, table, column, rows, values))
    failed = {table for table, _ in broken}
    for table, checked in asked.group_by("table", maintain_order=True).agg(pl.col("rows").sum()).iter_rows():
        if table not in failed:
            results.append(_passed(expected, table, checked))
    return results


def _failed(expected: Expected, table: str, column: str, rows: pl.DataFrame, values: list[Any]) -> QualityResult:
    """Return the result about one column; `rows` are the view's about it, `values` those that are broken."""
    figure = expected.arguments["column"]
    unexpected = int(rows.filter(pl.col(figure).is_in(values))[expected.counts].sum())
    checked = int(rows["rows"].sum())
    shown = listed(sorted(values)) if rows[figure].dtype == pl.String else rows[seen(expected.counts)].item()
    examples = f": {shown}" if shown else ""
    return QualityResult(
        suite="table",
        table=table,
        column=column,
        expectation=expected.name,
        severity=expected.severity,
        passed=False,
        checked=checked,
        unexpected=unexpected,
        detail=f"expected {expected.says}; {unexpected} of {checked} rows break it{examples}",
    )


def _passed(expected: Expected, table: str, checked: int) -> QualityResult:
    return QualityResult(
        suite="table",
        table=table,
        expectation=expected.name,
        severity=expected.severity,
        passed=True,
        checked=checked,
        unexpected=0,
        detail=f"expected {expected.says}",
    )
