"""Files are stacked where names and headers say that they are parts of one table, and only there."""

import pytest

from tasks.mining.library.digests import ColumnDigest, FileDigest, TableDigest
from tasks.mining.library.parts import group_parts, stem_of

NARROW = ["id", "name", "note"]
WIDE = [f"measure_{i}" for i in range(10)]


def files(**headers):
    """A digest for each file name (without its suffix) with these headers."""
    return {
        f"d/{name}.csv": FileDigest(
            tables=(
                TableDigest(
                    member=None,
                    rows=3,
                    columns=tuple(ColumnDigest(header=h, kind="number", distinct=3, unique=False) for h in header),
                ),
            )
        )
        for name, header in headers.items()
    }


def groups(**headers):
    return {group.stem: (group.column, group.values) for group in group_parts(files(**headers), "folder")}


@pytest.mark.parametrize(
    ("names", "stem", "column", "values"),
    [
        (["sales_2017", "sales_2018"], "sales", "year", ("2017", "2018")),
        (["2017", "2018"], "folder", "year", ("2017", "2018")),
        (["rain jan", "rain feb 2014"], "rain", "part", ("feb 2014", "jan")),
        (["KCLT", "KNYC"], "folder", "code", ("KCLT", "KNYC")),
        (["bracket-00", "bracket-01", "bracket-12"], "folder", "bracket", ("00", "01", "12")),
        (["answers", "answers-2", "answers-3"], "answers", "part", ("1", "2", "3")),
        (
            ["US_births_1994-2003_CDC", "US_births_2000-2014_SSA"],
            "US_births",
            "part",
            ("1994-2003 CDC", "2000-2014 SSA"),
        ),
    ],
)
def test_parts_are_told_by_what_their_names_number(names, stem, column, values):
    [(found, (header, parts))] = groups(**dict.fromkeys(names, NARROW)).items()
    assert (found, header, tuple(sorted(parts))) == (stem, column, values)


def test_narrow_tables_of_one_header_are_no_parts():
    found = groups(categories=NARROW, colours=NARROW, kinds1=NARROW, sizes2=NARROW)
    assert {column for column, _ in found.values()} == {None} and len(found) == 4


def test_a_wide_header_is_proof_by_itself():
    assert groups(men=WIDE, women=WIDE) == {"folder": ("part", ("men", "women"))}


def test_a_part_may_lack_a_column_that_others_have():
    found = groups(**{"day_1": WIDE, "day_2": [*WIDE, "time"], "day_3": WIDE[:5], "note_4": WIDE[:9]})
    assert found["folder"] == ("day", ("1", "2"))
    assert found["day_3"][0] is None and found["note_4"][0] is None


def test_a_column_of_the_parts_name_is_not_covered():
    assert groups(sales_2017=["year", "town"], sales_2018=["year", "town"])["sales"][0] == "part"


def test_tables_of_one_file_are_never_parts():
    digest = files(a=WIDE)["d/a.csv"]
    twice = FileDigest(tables=digest.tables * 2)
    assert [group.files for group in group_parts({"d/x1.db": twice, "d/x2.db": twice}, "d")] == [
        ("d/x1.db",),
        ("d/x2.db",),
    ]


@pytest.mark.parametrize(
    ("file", "stem"),
    [
        ("a/flights.csv.gz", "flights"),
        ("a/v1.2.csv", "v1.2"),
        ("rows", "rows"),
        ("a.b/c d.xlsx", "c d"),
        ("x/.csv", ".csv"),
    ],
)
def test_stems(file, stem):
    assert stem_of(file) == stem
