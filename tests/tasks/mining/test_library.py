"""Foreign keys in two well-known databases, from values and names alone, where a library has them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schemas.themes import TableRecipe
from tasks.mining.columns.naming import snake_case
from tasks.mining.extraction import extract_table
from tasks.mining.relations.references import find_references

LIBRARY = Path(__file__).resolve().parents[4] / "shared" / "library"
UNNAMED = {"customer.support_rep_id", "orders.ship_via"}
"""Integer references whose names say nothing of where they point: not found, by the rule against chance inclusion."""


@pytest.mark.parametrize("file", ["chinook/chinook.sqlite", "northwind/northwind.sqlite"])
def test_declared_foreign_keys_are_found_and_no_others(file):
    path = LIBRARY / file
    if not path.exists():
        pytest.skip(f"no library with {file}")
    declared, tables = set(), {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        for (name,) in connection.execute(names).fetchall():
            if connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]:
                table = extract_table(TableRecipe(name=snake_case(name), file=path.name, member=name), path)
                tables[table.name] = table
                for link in connection.execute(f'PRAGMA foreign_key_list("{name}")'):
                    declared.add((table.name, snake_case(link[3]), snake_case(link[2])))
    found = {(r.table, r.foreign.column, r.foreign.to_table) for r in find_references(tables)}
    assert found == {link for link in declared if f"{link[0]}.{link[1]}" not in UNNAMED}
