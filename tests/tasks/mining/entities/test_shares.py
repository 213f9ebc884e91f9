"""Shares of values by origin, counted by hand."""

from typing import Any

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.mining.entities.worlds import value_shares


def column(name: str, role: Any, origin: Any) -> ColumnProfile:
    return ColumnProfile(name=name, type="text", role=role, nullable=False, distinct=1, words=name, origin=origin)


def table(name: str, rows: int, columns: list[ColumnProfile]) -> TableProfile:
    return TableProfile(
        name=name,
        singular=name,
        plural=name,
        kind="reference",
        rows=rows,
        columns=columns,
        key="id",
        key_is_opaque=True,
    )


def test_shares_count_rows_times_columns_without_keys() -> None:
    one = table(
        "one", 10, [column("id", "key", "simulated"), column("a", "text", "mined"), column("b", "text", "borrowed")]
    )
    two = table("two", 20, [column("id", "key", "simulated"), column("c", "text", "simulated")])
    assert value_shares(WorldProfile(tables=[one, two])) == {"mined": 0.25, "borrowed": 0.25, "simulated": 0.5}
    assert value_shares(WorldProfile(tables=[one, two]), ["two"])["simulated"] == 1.0


def test_an_empty_world_has_no_shares() -> None:
    assert sum(value_shares(WorldProfile(tables=[])).values()) == 0
