"""Labels: the column by which people name a row."""

import polars as pl
import pytest

from tasks.mining.relations.labels import choose_label

ROWS = 20
NAMES = [f"Name {chr(97 + i)}" for i in range(ROWS)]
COLUMNS = {
    "drink_id": range(ROWS),
    "site": [f"http://x.org/{i}" for i in range(ROWS)],
    "code": [f"AB{i}" for i in range(ROWS)],
    "kind": ["hot", "cold"] * (ROWS // 2),
    "remark": ["a long remark about this very thing that is no name at all, since it goes on and on " + n for n in NAMES],
    "first_name": NAMES,
    "holed": [None, *NAMES[1:]],
    "country": NAMES,
    "film_title": NAMES,
}  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        (["site", "code", "kind", "remark", "country", "film_title"], "film_title"),
        (["site", "code", "kind", "remark", "holed", "country"], "country"),
        (["first_name", "film_title"], "film_title"),
        (["first_name"], "first_name"),
        (["site", "code", "kind", "remark", "holed"], None),
    ],
)
def test_choice(columns, label):
    frame = pl.DataFrame({name: COLUMNS[name] for name in ["drink_id", *columns]})
    types = {name: "text" if frame[name].dtype == pl.String else "integer" for name in frame.columns}
    assert choose_label(frame, types, "drink_id", "drink") == label


def test_a_key_that_is_a_name_needs_no_other():
    frame = pl.DataFrame({"country": NAMES, "capital": NAMES[::-1], "code": [f"A{i}" for i in range(ROWS)]})
    types = dict.fromkeys(frame.columns, "text")
    assert choose_label(frame, types, "country", "drink") is None
    assert choose_label(frame, types, "code", "drink") == "country"


def test_no_rows_have_no_label():
    frame = pl.DataFrame({"id": [], "name": []}, schema={"id": pl.Int64, "name": pl.String})
    assert choose_label(frame, {"id": "integer", "name": "text"}, "id", "drink") is None
