"""Widths: forty columns of a survey, the telling ones, and the others listed."""

import random
from pathlib import Path

from schemas.themes import TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.relations.widths import MOST_COLUMNS, narrow_table

ROWS = 60


def survey(folder: Path, **recipe) -> ExtractedTable:
    draw = random.Random("survey")
    columns = {"respondent_id": [str(i) for i in range(ROWS)], "nobody answered": [""] * ROWS}
    columns |= {f"holed {i}": ["", "", "", draw.choice("ab")] * (ROWS // 4) for i in range(100)}
    columns |= {f"figure {i}": [str(draw.randrange(10**6)) for _ in range(ROWS)] for i in range(100)}
    columns |= {f"choice {i}": [draw.choice("ab") for _ in range(ROWS)] for i in range(20)}
    columns |= {
        "full name": [f"Person {chr(97 + i % 26)} {chr(97 + i // 26)}" for i in range(ROWS)],
        "shop code": ["A1"] * ROWS,
    }
    path = folder / "survey.csv"
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return extract_table(TableRecipe(name="answers", file="survey.csv", **recipe), path)


def test_the_telling_columns_stay_in_order(tmp_path):
    wide = survey(tmp_path)
    table = narrow_table(wide, ["shop_code"])
    names = table.frame.columns
    assert len(names) == MOST_COLUMNS
    assert {"respondent_id", "full_name", "shop_code", *(f"choice_{i}" for i in range(20))} <= set(names)
    assert not any(name.startswith("holed") for name in names)
    assert names == [name for name in wide.frame.columns if name in names]
    assert set(table.types) == set(names)


def test_every_other_column_is_listed(tmp_path):
    wide = survey(tmp_path)
    table = narrow_table(wide, [])
    assert table.columns_left_out[0] == "nobody answered: empty"
    assert len(table.columns_left_out) == 1 + len(wide.frame.columns) - MOST_COLUMNS
    assert "holed_7: beyond 40 columns" in table.columns_left_out


def test_chosen_columns_are_all_kept(tmp_path):
    chosen = {f"figure {i}": f"figure_{i}" for i in range(60)} | {"respondent_id": "respondent_id"}
    wide = survey(tmp_path, columns=chosen)
    assert narrow_table(wide, []) is wide
