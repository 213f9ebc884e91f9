"""Diagrams hold to a grammar that mermaid takes, whatever the names; tests/flows/test_pages.py draws them for real."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.profiles import ForeignKey
from tasks.pages.markdown import shorten
from tasks.pages.mermaid import (
    BORROWED,
    MOST_COLUMNS,
    MOST_TABLES,
    MOST_WHOLE,
    NAMELESS,
    Node,
    cardinality,
    drawn_tables,
    er_diagram,
    flowchart,
    label,
    listing,
)

ENTITY = re.compile(r'  t\d+\["[^"\n]+"\] \{')
ATTRIBUTE = re.compile(r'    (\w+) ([A-Za-z_]\w*)( (PK|FK|PK, FK))?( "[^"\n]+")?')
RELATION = re.compile(r'  t\d+ (\|\||\|o)--(o\{|o\|) t\d+ : ""')
OTHER = re.compile(
    r"%%\{init: .*\}%%|erDiagram|  direction LR|  \}|  classDef (writable|borrowed) [a-z0-9:#,-]+|  class [t0-9,]+ (writable|borrowed)"
)


def decoded(encoded: str) -> str:
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), encoded)


@given(st.text(max_size=60))
def test_a_label_holds_nothing_that_mermaid_reads_and_means_the_text(value: str) -> None:
    encoded = label(value)
    assert re.fullmatch(r"[\w .,#;]+", encoded)
    assert "#" not in re.sub(r"#\d+;", "", encoded) and ";" not in re.sub(r"#\d+;", "", encoded)
    assert decoded(encoded) == (shorten(value, 40) or NAMELESS)


NAMES = st.text(min_size=1, max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixtures are plain functions
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.lists(NAMES, min_size=1, max_size=12, unique=True))
def test_every_line_of_an_er_diagram_is_of_a_known_form(
    table: Any, column: Any, names: list[str], columns: list[str]
) -> None:
    tables = [table(name, [column(c) for c in columns], {columns[-1]: names[0]}, "operational") for name in names]
    for line in er_diagram(tables).splitlines():
        assert any(form.fullmatch(line) for form in (ENTITY, ATTRIBUTE, RELATION, OTHER)), line


def test_keys_come_first_and_references_have_their_cardinality(bakery: Any) -> None:
    diagram = er_diagram(bakery)
    assert '  t1["loaves"] {\n    integer id PK\n    integer baker_id FK\n  }' in diagram
    assert '  t0 |o--o{ t1 : ""' in diagram  # a loaf may have no baker
    assert '  t1 ||--o| t2 : ""' in diagram  # a loaf has at most one shelf
    assert "  class t2 writable" in diagram
    assert listing(bakery) == [
        "loaves.baker_id → bakers.id (many to none or one)",
        "shelves.id → loaves.id (none or one to one)",
    ]


def test_cardinality_of_a_table_that_refers_to_itself(table: Any, column: Any) -> None:
    staff = table("staff", [column("id", "key"), column("boss", "reference", nullable=True)], {"boss": "staff"})
    assert cardinality(staff, staff.foreign_keys[0]) == ("none or one", "many")
    assert '  t0 |o--o{ t0 : ""' in er_diagram([staff])


@pytest.mark.parametrize("name", ["pk", "FK", "3pt", "naïve", "two words", '"', "a" * 41, "x\n}"])
def test_a_column_that_mermaid_cannot_name_follows_as_a_comment(name: str, table: Any, column: Any) -> None:
    lines = er_diagram([table("t", [column("id", "key"), column(name)], {})]).splitlines()
    assert f'    integer column_2 "{label(name)}"' in lines


def test_a_diagram_is_bounded_and_keeps_what_is_referred_to(table: Any, column: Any) -> None:
    wide = [column(f"c{number}") for number in range(200)]
    lonely = [table(f"lonely_{number}", wide, {}) for number in range(MOST_TABLES)]
    pair = [
        table("parent", [column("id", "key")], {}),
        table("child", [column("id", "key"), column("p")], {"p": "parent"}),
    ]
    shown = [found.name for found in drawn_tables([*lonely, *pair])]
    assert len(shown) == MOST_TABLES and shown[-2:] == ["parent", "child"]
    diagram = er_diagram([*lonely, *pair])
    assert diagram.count("{\n") == MOST_TABLES
    assert len(diagram) < 20_000
    few = er_diagram([*lonely[: MOST_WHOLE - 2], *pair])
    assert few.count(f"#8230; and {200 - MOST_COLUMNS} more") == MOST_WHOLE - 2 and len(few) < 20_000


def test_of_many_tables_only_keys_and_references_are_drawn(table: Any, column: Any) -> None:
    names = [f"table_{number}" for number in range(MOST_WHOLE + 1)]
    many = [
        table(name, [column("id", "key"), column("colour"), column("next")], {"next": other})
        for name, other in pairwise([*names, names[0]])
    ]
    assert "colour" in er_diagram(many[1:]) and "more columns" not in er_diagram(many)
    assert er_diagram(many).count("    integer ") == 2 * len(many)


def test_borrowed_tables_have_a_border_of_their_own(table: Any, column: Any) -> None:
    lent = [column(name, origin="borrowed", borrowed_from="a calendar") for name in ("year", "days")]
    tables = [table("years", [*lent, column("id")], {}), table("loaves", [column("id", "key"), lent[0]], {})]
    assert f"  classDef borrowed {BORROWED}\n  class t0 borrowed" in er_diagram(tables)
    assert "borrowed" not in er_diagram(tables[1:])


def test_a_reference_to_a_table_that_is_not_drawn_is_left_out(table: Any, column: Any) -> None:
    child = table("child", [column("id", "key")], {})
    child.foreign_keys.append(ForeignKey(column="id", to_table="elsewhere", to_column="id", coverage=1.0))
    assert "--" not in er_diagram([child]).replace("stroke-", "")


def test_a_flowchart_encodes_its_labels_and_marks_the_refused(nasty: str) -> None:
    chart = flowchart([Node("a", (nasty, "2nd")), Node("b", ("x",), dashed=True)], [("a", "b")])
    assert chart.splitlines()[0] == "flowchart LR"
    assert re.fullmatch(r'  a\["[^"<>]+<br>2nd"\]', chart.splitlines()[1])
    assert "  a --> b" in chart and "  class b refused" in chart
