"""Validation: the door to Great Expectations, which checks batches of rows and says what it found.

It and pandas are imported at the first call and not before: that takes seconds and 150 MB, which a
command that mines nothing should not pay.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import polars as pl

from tasks.mining.quality.expected import Batch, Expected

if TYPE_CHECKING:
    import pandas as pd

# A context registers itself in a place of the whole process, and asks for settings there while it
# validates: two threads would take each other's. The work holds the interpreter's lock anyway.
_one_at_a_time = Lock()
_PROBLEM = "could not be checked"


@dataclass(frozen=True)
class Outcome:
    """What an expectation found in its batch.

    `checked` and `unexpected` count rows of the batch (of a whole table's expectation, `unexpected` is 1
    when it failed). `observed` is what a whole table showed; `examples` are some values that break the
    expectation; `rows` are all rows that do, by the batch's `located` columns, where it has any.
    """

    expected: Expected
    passed: bool
    checked: int
    unexpected: int
    observed: Any
    examples: list[Any]
    rows: list[Mapping[str, Any]]


def validate(batches: Sequence[Batch]) -> list[list[Outcome]]:
    """Return the outcomes of every batch, in the order of its expectations.

    An expectation that cannot be evaluated on its batch counts as failed, with the reason in `observed`.
    Safe to call from several threads: they take turns.
    """
    with _one_at_a_time:
        return _validate(batches)


def _validate(batches: Sequence[Batch]) -> list[list[Outcome]]:
    # What it has to say of its work stands in the outcomes; it tells of its import, too.
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    source = gx.get_context(mode="ephemeral", project_config=config).data_sources.add_pandas("world")
    outcomes = []
    for number, batch in enumerate(batches):
        # Numbered: a world may have a table called like a view of all of it ("tables", "texts", "columns").
        asset = source.add_dataframe_asset(name=f"{number} {batch.name}").add_batch_definition_whole_dataframe("rows")
        rows = asset.get_batch({"dataframe": _pandas(batch.frame)})
        outcomes.append(_ask(rows, batch))
    return outcomes


def _pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return the frame for pandas; whole numbers beside nulls stay whole, or large keys would lose digits."""
    import pandas as pd
    import pyarrow as pa

    converted: pd.DataFrame = frame.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return converted


def _ask(rows: Any, batch: Batch) -> list[Outcome]:
    """Ask once for the counts, and once more for every broken row of those that failed in a view."""
    outcomes = _run(rows, batch, batch.expected, "BASIC")
    failed = [outcome.expected for outcome in outcomes if not outcome.passed]
    if not batch.located or not failed:
        return outcomes
    whole = {"result_format": "COMPLETE", "unexpected_index_column_names": [*batch.located]}
    found = {outcome.expected.name: outcome for outcome in _run(rows, batch, failed, whole)}
    return [found.get(outcome.expected.name, outcome) for outcome in outcomes]


def _run(rows: Any, batch: Batch, expected: Sequence[Expected], result_format: Any) -> list[Outcome]:
    import great_expectations as gx
    import great_expectations.expectations as kinds

    asked = [
        getattr(kinds, one.kind)(**one.arguments, meta={"position": position}) for position, one in enumerate(expected)
    ]
    if not asked:
        return []
    answer = rows.validate(gx.ExpectationSuite(name=batch.name, expectations=asked), result_format=result_format)
    # Answers come in another order: those that could not be evaluated first.
    outcomes: dict[int, Outcome] = {}
    for result in answer.results:
        position = result.expectation_config.meta["position"]
        outcomes[position] = _outcome(expected[position], batch, result.to_json_dict())
    return [outcomes[position] for position in range(len(expected))]


def _outcome(expected: Expected, batch: Batch, answer: dict[str, Any]) -> Outcome:
    result, passed = answer["result"], bool(answer["success"])
    return Outcome(
        expected=expected,
        passed=passed,
        checked=result.get("element_count", batch.frame.height) - result.get("missing_count", 0),
        unexpected=result.get("unexpected_count", 0 if passed else 1),
        observed=result.get("observed_value") if result else _PROBLEM,
        examples=list(result.get("partial_unexpected_list", [])),
        rows=list(result.get("unexpected_index_list") or []),
    )
