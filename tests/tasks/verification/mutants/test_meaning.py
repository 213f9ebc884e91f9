"""Equivalence without the verifier: other keys and times are the same, other rows, values and texts are not."""

from __future__ import annotations

import copy

import pytest

from tasks.verification.mutants.meaning import same_answer, same_change
from tests.tasks.verification.mutants.bakery import CONTRACT

SALES = {
    "sales": {
        "inserted": [
            {"sale_id": "s3", "loaf_id": 1, "pieces": 1, "sold_at": "c"},
            {"sale_id": "s4", "loaf_id": 2, "pieces": 5, "sold_at": "d"},
        ],
        "updated": [],
        "deleted": [],
    },
    "lines": {"inserted": [{"sale_id": "s3", "text": "one"}], "updated": [], "deleted": []},
}
LINKED = {**CONTRACT, "references": {"sales": {"loaf_id": "loaves"}, "lines": {"sale_id": "sales"}}}


def bent(*path: str | int, value: object) -> dict:  # type: ignore[type-arg]
    change = copy.deepcopy(SALES)
    part = change
    for step in path[:-1]:
        part = part[step]  # type: ignore[index, assignment]
    part[path[-1]] = value  # type: ignore[index, assignment]
    return change


def test_other_minted_keys_and_times_are_the_same() -> None:
    other = bent("sales", "inserted", 0, "sale_id", value="zz")
    other["lines"]["inserted"][0]["sale_id"] = "zz"
    other["sales"]["inserted"][1]["sold_at"] = "later"
    other["sales"]["inserted"].reverse()
    other["log"] = {"inserted": [{"log_id": 9}], "updated": [], "deleted": []}
    assert same_change(other, SALES, LINKED)


@pytest.mark.parametrize(
    "other",
    [
        bent("lines", "inserted", 0, "sale_id", value="s4"),
        bent("sales", "inserted", 0, "pieces", value=2),
        bent("sales", "inserted", value=SALES["sales"]["inserted"][:1]),
        bent("sales", "deleted", value=[{"sale_id": "s1"}]),
        {},
    ],
    ids=["line of the other sale", "another number", "one missing", "one deleted", "nothing"],
)
def test_other_rows_and_values_are_not(other: dict) -> None:  # type: ignore[type-arg]
    assert not same_change(other, SALES, LINKED)


def test_answers_are_compared_as_json_alone() -> None:
    assert same_answer({"n": 5.0, "l": [1, 2.0]}, {"l": [1.0, 2], "n": 5})
    for given in ({"n": 5, "l": ["A"]}, {"n": "5", "l": ["a"]}, {"n": True, "l": ["a"]}, None):
        assert not same_answer(given, {"n": 5, "l": ["a"]})


def test_many_minted_rows_may_have_any_keys_when_nothing_refers_to_them() -> None:
    def sold(keys: str, pieces: int = 9) -> dict:  # type: ignore[type-arg]
        rows = [{"sale_id": key, "loaf_id": 1, "pieces": n, "sold_at": key} for n, key in enumerate(keys)]
        rows[-1]["pieces"] = pieces
        return {"sales": {"inserted": rows, "updated": [], "deleted": []}}

    assert same_change(sold("jihgfedcba"), sold("abcdefghij"), LINKED)
    assert not same_change(sold("abcdefghij", pieces=8), sold("abcdefghij"), LINKED)
    assert not same_change(sold("abcdefghi"), sold("abcdefghij"), LINKED)


def test_rows_that_look_alike_are_told_apart_by_what_refers_to_them() -> None:
    """Two equal sales, one with two lines and one with none, are not two sales with a line each."""

    def lined(*keys: str) -> dict:  # type: ignore[type-arg]
        sales = [{"sale_id": key, "loaf_id": 1, "pieces": 1, "sold_at": key} for key in "abcdefghijkl"]
        lines = [{"sale_id": key, "text": "one"} for key in keys]
        return {"sales": {"inserted": sales}, "lines": {"inserted": lines}}

    assert same_change(lined("a", "b"), lined("k", "c"), LINKED)
    assert not same_change(lined("a", "a"), lined("a", "b"), LINKED)
