"""Parts of one table are read below each other, no row of them lost."""

import pytest

from schemas.themes import TableRecipe
from tasks.mining.extraction import extract_table
from tasks.mining.reading.raw import ReadingLimits, Unreadable
from tasks.mining.stacking import read_parts

FILES = {
    "d/KCLT.csv": "day,rain\n1,0.5\n2,0\n",
    "d/KNYC.csv": "day,rain,snow\n1,0.1,2\n",
    "d/KSEA.csv": "day,rain\n" + "".join(f"{i},0\n" for i in range(100)),
}


@pytest.fixture
def stacked(tmp_path):
    paths = {}
    for file, content in FILES.items():
        paths[file] = tmp_path / file.replace("/", "_")
        paths[file].write_text(content)
    values = {"d/KNYC.csv": "KNYC", "d/KCLT.csv": "KCLT", "d/KSEA.csv": "KSEA"}
    return TableRecipe(name="days", file="d/KCLT.csv", parts=values, part_column="code"), paths


def test_parts_stand_below_each_other_in_the_order_of_files(stacked):
    raw = read_parts(*stacked)
    assert raw.frame.columns == ["code", "day", "rain", "snow"]
    assert raw.frame.head(3).rows() == [
        ("KCLT", "1", "0.5", None),
        ("KCLT", "2", "0", None),
        ("KNYC", "1", "0.1", "2"),
    ]
    assert raw.rows_read == raw.frame.height == 103


def test_rows_beyond_the_limit_are_counted(stacked):
    raw = read_parts(*stacked, ReadingLimits(rows=30))
    assert raw.frame.height == 2 + 1 + 10
    assert raw.rows_read == 103 == raw.frame.height + raw.rows_unreadable + raw.rows_beyond_limit


def test_equal_repairs_are_one(stacked):
    recipe, paths = stacked
    for path in paths.values():
        path.write_bytes(path.read_bytes() + b"9,8,7,6,5\n")
    raw = read_parts(recipe, paths)
    assert len({(repair.code, repair.detail) for repair in raw.repairs}) == len(raw.repairs)
    assert raw.rows_read == 106 == raw.frame.height + raw.rows_unreadable + raw.rows_beyond_limit


def test_an_unreadable_part_is_told(stacked):
    recipe, paths = stacked
    paths["d/KNYC.csv"].write_bytes(b"")
    with pytest.raises(Unreadable):
        read_parts(recipe, paths)


def test_extraction_gives_one_table(stacked):
    recipe, paths = stacked
    table = extract_table(recipe, paths[recipe.file], paths)
    assert table.rows_read == 103 and sorted(table.frame["code"].unique()) == ["KCLT", "KNYC", "KSEA"]
