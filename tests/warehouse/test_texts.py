"""Long texts come back whole, each is stored once, and no row is long."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.rows import load_environment, load_tool_module
from warehouse.store import Published
from warehouse.texts import PART, text_rows

LONG = 50_000
"""Characters of a long text, as a tool module has."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=3) | st.text(min_size=1, max_size=5).map(lambda piece: piece * PART))
def test_parts_make_up_the_text(text, stamp):
    text_id, rows = text_rows(text, stamp)
    assert "".join(row["part"] for row in sorted(rows, key=lambda row: row["position"])) == text
    assert all(len(row["part"]) <= PART and row["text_id"] == text_id for row in rows)


def test_a_text_is_stored_once_and_read_by_its_view(warehouse, stamp):
    text_id, rows = text_rows("tool\n" * LONG, stamp)
    assert warehouse.merge({"text_parts": [*rows, *rows]}) == {"text_parts": len(rows)}
    assert warehouse.merge({"text_parts": rows}) == {"text_parts": 0}
    warehouse.publish()
    found = Published(warehouse.home).sql("select text from texts where text_id = ?", [text_id]).rows
    assert found == [("tool\n" * LONG,)]


def test_an_environment_and_its_tools_come_back_whole(filled_warehouse, environment):
    assert load_environment(filled_warehouse, environment.id) == environment
    assert load_tool_module(filled_warehouse, environment.id) == "source"


def test_an_environment_is_described_whole_in_sql(filled_warehouse, environment):
    filled_warehouse.publish()
    columns = "profile -> '$.tables[0].name', operations -> '$[0].archetype', documents -> '$[0].text'"
    query = f"select {columns} from environment_descriptions where environment_id = ?"
    (row,) = Published(filled_warehouse.home).sql(query, [environment.id]).rows
    first = environment.profile.tables[0].name, environment.operations[0].archetype, environment.documents[0].text
    assert tuple(map(json.loads, row)) == first
