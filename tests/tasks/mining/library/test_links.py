"""Links across folders need telling values; what only looks alike does not join."""

import polars as pl
import pytest

from tasks.mining.library.digests import digest_table
from tasks.mining.library.links import link_by_names, link_by_values

TOWNS = [
    f"{start}{end}" for start in ("Ald", "Bex", "Cor", "Dun", "Esk", "Fen") for end in ("by", "ham", "ton", "wick")
]


def table(**columns):
    frame = pl.DataFrame({name: [None if v is None else str(v) for v in values] for name, values in columns.items()})
    return digest_table(None, frame, frame.height)


def test_repeated_values_of_a_unique_column_are_a_link():
    link = link_by_values(table(town=TOWNS * 3), table(name=TOWNS, people=range(24)))
    assert link is not None and link.counts and not link.identifies
    assert (link.column, link.key, link.matched, link.compared) == ("town", "name", 24, 24)


def test_a_column_that_repeats_must_be_there_almost_whole():
    link = link_by_values(table(town=TOWNS * 3), table(name=TOWNS[:20]))
    assert link is not None and link.coverage > 0.8 and not link.counts


def test_unique_columns_join_by_most_of_their_values():
    link = link_by_values(table(town=TOWNS), table(town=TOWNS[:15]))
    assert link is not None and link.identifies and link.counts
    link = link_by_values(table(town=TOWNS), table(town=[*TOWNS[:15], *(f"Other{i}" for i in range(30))]))
    assert link is not None and not link.counts, "most of theirs would refer to nothing"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"year": range(1990, 2020)}, {"year": range(1990, 2020)}),
        ({"rank": range(30)}, {"id": range(30)}),
        ({"answer": ["Yes", "No", "Maybe"] * 9}, {"answer": ["Yes", "No", "Maybe"]}),
        (
            {"month": ["Jan", "Feb", "Mar", "Apr", "May", "Jun"] * 4},
            {"month": ["Jan", "Feb", "Mar", "Apr", "May", "Jun"]},
        ),
        ({"grade": list("ABCDEFGH") * 3}, {"grade": list("ABCDEFGH")}),
        ({"size": ["XS", "S", "M", "L", "XL"] * 4}, {"size": ["XS", "S", "M", "L", "XL"]}),
        ({"first_name": TOWNS}, {"FirstName": TOWNS}),
        ({"town": TOWNS[:4] * 5}, {"town": TOWNS[:4]}),
        ({"town": TOWNS}, {"town": TOWNS * 2}),
    ],
    ids=["years", "small integers", "answers", "months", "letters", "sizes", "first names", "too few", "not unique"],
)
def test_lookalikes_do_not_join(ours, theirs):
    link = link_by_values(table(**ours), table(**theirs))
    assert link is None or not link.counts


def test_short_codes_join_where_all_are_there():
    codes = ["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID"]
    link = link_by_values(table(st=codes * 2), table(abbreviation=codes))
    assert link is not None and link.counts
    link = link_by_values(table(st=codes[:6] * 2), table(abbreviation=codes))
    assert link is not None and not link.counts


def test_ids_that_lie_together_link_by_their_names():
    orders = table(order_id=range(100, 130), customer_id=[1, 2, 3] * 10)
    assert link_by_names(orders, table(id=[1, 2, 3], name=["a", "b", "c"]), "customers") is not None
    assert link_by_names(orders, table(customer_id=[1, 2, 3]), "clients") is not None
    assert link_by_names(orders, table(id=[1, 2, 3]), "shops") is None
    assert link_by_names(orders, table(customer_id=[7, 8, 9]), "customers") is None
