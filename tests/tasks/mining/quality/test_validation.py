import polars as pl

from tasks.mining.quality.expected import Batch, Expected
from tasks.mining.quality.validation import validate


def unique(column: str) -> Expected:
    return Expected("unique", "ExpectColumnValuesToBeUnique", {"column": column}, "critical", "each once")


def below(most: int) -> Expected:
    return Expected("below", "ExpectColumnValuesToBeBetween", {"column": "n", "max_value": most}, "critical", "below")


def test_outcomes_keep_the_order_of_expectations_and_batches() -> None:
    frame = pl.DataFrame({"n": [1, 1, 3, None]})
    batches = [
        Batch("one", frame, [below(5), unique("nowhere"), below(1), unique("n")]),
        Batch("two", frame, [unique("n")]),
    ]
    outcomes = validate(batches)
    assert [[o.expected for o in found] for found in outcomes] == [batch.expected for batch in batches]
    assert [o.passed for o in outcomes[0]] == [True, False, False, False]
    assert [o.unexpected for o in outcomes[0]] == [0, 1, 1, 2]
    assert [o.checked for o in outcomes[0]] == [3, 4, 3, 3]


def test_what_cannot_be_evaluated_fails_with_the_reason() -> None:
    (outcome,) = validate([Batch("texts", pl.DataFrame({"n": ["a"]}), [below(5)])])[0]
    assert not outcome.passed
    assert outcome.observed == "could not be checked"


def test_a_view_tells_every_broken_row() -> None:
    frame = pl.DataFrame({"table": ["a"] * 30, "column": [f"c{i}" for i in range(30)], "n": range(30)})
    (outcome,) = validate([Batch("view", frame, [below(4)], located=("table", "column"))])[0]
    assert [row["column"] for row in outcome.rows] == [f"c{i}" for i in range(5, 30)]
    assert len(outcome.examples) == 20


def test_a_batch_of_which_nothing_is_expected() -> None:
    assert validate([Batch("none", pl.DataFrame({"n": [1]}), [])]) == [[]]


def test_a_table_may_be_called_like_a_view_of_the_world() -> None:
    frame = pl.DataFrame({"n": [1, 1]})
    found = validate([Batch("tables", frame, [unique("n")]), Batch("tables", frame, [below(5)])])
    assert [[outcome.passed for outcome in outcomes] for outcomes in found] == [[False], [True]]
