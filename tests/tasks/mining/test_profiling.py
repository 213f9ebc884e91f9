"""Profiles: what each column is to a person, and what kind of table it stands in."""

from pathlib import Path

import polars as pl
import pytest

from schemas.profiles import ForeignKey, TableProfile
from schemas.themes import TableRecipe
from tasks.mining.extraction import extract_table
from tasks.mining.profiling import profile_table

ROWS = 40


def profiled(folder: Path, referred: bool = False, linked: bool = True, dated: bool = True, **recipe) -> TableProfile:
    frame = pl.DataFrame(
        {
            "visit_id": range(1, ROWS + 1),
            "pet_name": [f"Pet {i}" for i in range(ROWS)],
            "species": ["cat", "dog"] * (ROWS // 2),
            "note": [f"note {i % 35}" for i in range(ROWS)],
            "chip_number": [i * 7 for i in range(ROWS)],
            "birth_year": [1990 + i % 9 for i in range(ROWS)],
            "weight": [i / 4 for i in range(ROWS)],
            "vaccinated": ["yes", "no"] * (ROWS // 2),
            "seen": ["2020-01-02" if dated else "never"] * ROWS,
            "owner_id": [None, *range(1, ROWS)],
        }
    )
    frame.write_csv(folder / "visits.csv")
    table = extract_table(TableRecipe(name="visits", file="visits.csv", **recipe), folder / "visits.csv")
    owner = ForeignKey(column="owner_id", to_table="owners", to_column="owner_id", coverage=1.0)
    return profile_table(table, table.frame, [owner] if linked else [], referred)


def test_roles(tmp_path):
    roles = {column.name: column.role for column in profiled(tmp_path).columns}
    assert roles == {
        "visit_id": "key", "pet_name": "label", "species": "category", "note": "text", "chip_number": "text",
        "birth_year": "time", "weight": "measure", "vaccinated": "category", "seen": "time", "owner_id": "reference",
    }  # fmt: skip


def test_values(tmp_path):
    table = profiled(tmp_path, words={"weight": "body weight"}, units={"weight": "kilograms"})
    weight, owner, species = table.column("weight"), table.column("owner_id"), table.column("species")
    assert (weight.minimum, weight.maximum, weight.distinct) == (0.0, 9.75, ROWS)
    assert (weight.words, weight.unit, table.column("birth_year").words) == ("body weight", "kilograms", "birth year")
    assert (owner.nullable, owner.distinct, weight.nullable) == (True, ROWS - 1, False)
    assert (species.categories, species.minimum) == (["cat", "dog"], None)


@pytest.mark.parametrize(
    ("referred", "linked", "dated", "kind"),
    [
        (False, True, True, "event"),
        (True, True, True, "event"),
        (False, True, False, "event"),
        (True, True, False, "reference"),
        (True, False, True, "reference"),
        (False, False, True, "reference"),
    ],
)
def test_kinds(tmp_path, referred, linked, dated, kind):
    assert profiled(tmp_path, referred, linked, dated).kind == kind


def test_a_label_must_tell_rows_apart_unless_the_theme_says_so(tmp_path):
    assert profiled(tmp_path).label == "pet_name"
    renamed = {"visit_id": "visit_id", "note": "note_name", "seen": "seen", "owner_id": "owner_id"}
    assert profiled(tmp_path, columns=renamed).label is None
    assert profiled(tmp_path, columns=renamed, label="note_name").label == "note_name"
