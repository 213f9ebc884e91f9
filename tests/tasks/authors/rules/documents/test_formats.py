"""What is written reads back equal, by the tools' readers and by libraries; edits change what they name, and no more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.documents import FORMATS, Document, DocumentFormat
from tasks.authors.rules.documents.readers import leaves_of, parts_of, read_content, search
from tasks.authors.rules.documents.runtime.editing import (
    _document_with_row,
    _document_with_section,
    _document_with_value,
)
from tasks.authors.rules.documents.runtime.reading import _document_content
from tasks.authors.rules.documents.writers import (
    Section,
    Statement,
    Table,
    can_be_named,
    can_be_written,
    write_rows,
    write_sections,
    write_statements,
    write_value,
)
from tasks.world.documents import compare_file

NAMES = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=30).filter(
    can_be_named
)
NUMBERS = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6).map(lambda x: round(x, 3))).filter(
    can_be_written
)
CELLS = st.one_of(NAMES.filter(lambda name: not name.replace(".", "").isdigit()), NUMBERS, st.none())
FEW = settings(max_examples=25, deadline=None)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    rows = [(name, *draw(st.tuples(*[CELLS] * (len(columns) - 1)))) for name in names]
    return Table(tuple(columns), tuple(rows))


def document(form: DocumentFormat, text: str) -> Document:
    return Document(path=f"a.{form}", format=form, title="A", about="", origin="written", text=text)


def both(form: DocumentFormat, text: str) -> dict[str, Any]:
    """Return what a text says, which both readers must agree on."""
    theirs, ours = read_content(document(form, text)), _document_content(form, text)
    assert ours == theirs
    return ours


@FEW
@given(tables())
def test_tables_read_back_equal_in_every_format(table: Table) -> None:
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert both("csv", write_rows(table)) == {"columns": list(table.columns), "rows": rows}
    sections = [Section("", ("First & foremost, 5% of it.",)), Section("The figures", ("As agreed.",), table)]
    for form in ("md", "html", "tex"):
        found = both(form, write_sections(form, "A title", sections))["sections"]
        assert found[-1] == {"heading": "The figures", "text": "As agreed.", "rows": rows}


@FEW
@given(st.dictionaries(NAMES, st.one_of(NAMES, NUMBERS, st.booleans(), st.lists(NAMES, max_size=3)), min_size=1))
def test_values_read_back_equal(value: dict[str, Any]) -> None:
    assert both("json", write_value("json", {"a": value})) == {"value": {"a": value}}
    text = write_value("yaml", {"a": list(value.values())})
    assert read_content(document("yaml", text)) == {"value": {"a": list(value.values())}}


@FEW
@given(NUMBERS, NAMES, st.sampled_from(["json", "yaml"]))
def test_setting_a_value_changes_it_alone(number: int | float, word: str, form: DocumentFormat) -> None:
    value = {
        "fees": {"late": 3, "note": "as agreed: 5%"},
        "rates": [{"of": "Avon", "is": 1.5}, {"of": "Eden", "is": 2}],
    }
    text = write_value(form, value)
    for place, new in (("fees.late", number), ("rates.1.is", number), ("fees.note", word)):
        changed = _document_with_value(form, text, place, new)
        before, after = dict(leaves_of(value)), dict(leaves_of(both(form, changed)["value"]))
        assert after == {**before, place: new}
        difference = compare_file(f"a.{form}", text.encode(), changed.encode())
        assert len(difference["updated"]) == (before[place] != new)
        assert not difference["inserted"] + difference["deleted"]


def test_a_comment_stays_where_a_yaml_value_is_set() -> None:
    text = "fees: # in euros\n  late: 3  # since May\n  'lost copy': 20\nhours:\n- day: monday\n  opens: 9\n"
    assert _document_with_value("yaml", text, "fees.late", 4.5) == text.replace("late: 3 ", "late: 4.5 ")
    assert _document_with_value("yaml", text, "fees.lost copy", 25) == text.replace("20", "25")
    assert _document_with_value("yaml", text, "hours.0.opens", 8) == text.replace("opens: 9", "opens: 8")


@pytest.mark.parametrize(("place", "value"), [("fees.late", "three"), ("fees.late", True), ("fees", 1), ("on", 1)])
def test_a_value_of_another_kind_is_refused(place: str, value: Any) -> None:
    for form in ("json", "yaml"):
        with pytest.raises(ValueError):
            _document_with_value(form, write_value(form, {"fees": {"late": 3}, "on": False}), place, value)
    with pytest.raises(LookupError):
        _document_with_value("json", '{"fees": {"late": 3}}', "fees.late.of", 1)


@FEW
@given(tables(), st.data())
def test_rows_change_and_come_alone(table: Table, data: st.DataObject) -> None:
    text = write_rows(table)
    row = data.draw(st.sampled_from(table.rows))
    column, new = data.draw(st.sampled_from(table.columns[1:])), data.draw(NUMBERS)
    changed = both("csv", _document_with_row(text, str(row[0]), {column: new}))["rows"]
    assert [r for r in changed if r[table.columns[0]] != row[0]] == [
        r for r in both("csv", text)["rows"] if r[table.columns[0]] != row[0]
    ]
    assert next(r for r in changed if r[table.columns[0]] == row[0])[column] == new
    added = both("csv", _document_with_row(text, None, ["Zz new", *[7] * (len(table.columns) - 1)]))["rows"]
    assert added[:-1] == both("csv", text)["rows"] and added[-1][table.columns[-1]] == 7


@pytest.mark.parametrize("form", ["md", "html", "tex"])
def test_a_section_is_replaced_alone(form: DocumentFormat) -> None:
    table = Table(("Name", "Fee"), (("Avon", 1), ("Eden", 2)))
    sections = [Section("First", ("One.",)), Section("Fees & rates", ("Two.",), table), Section("Last", ("Three.",))]
    text = write_sections(form, "A title", sections)
    for heading in ("First", "fees & RATES", "Last"):
        words = "Closed: 50% off & <no> {more} $5 #1 ~ a_b^c \\d.\n\nSee the desk."
        changed = both(form, _document_with_section(form, text, heading, words))["sections"]
        for old, new in zip(both(form, text)["sections"], changed, strict=True):
            if old["heading"].casefold() != heading.casefold():
                assert new == old
            else:
                assert new["text"].split() == words.split() and new["rows"] == []
    with pytest.raises(LookupError):
        _document_with_section(form, text, "Nowhere", "Words.")
    with pytest.raises(ValueError):
        _document_with_section(form, text, "First", " \n ")


def test_statements_read_back_by_name() -> None:
    statements = [
        Statement("long waits", "For Mondays; and Fridays.", "SELECT a -- the first\nFROM b\nWHERE c = 'x;y'"),
        Statement("short ones", "All of them.", "SELECT 1;"),
    ]
    text = write_statements("", statements)
    found = both("sql", text)["statements"]
    assert [(s["name"], s["about"], s["text"].rstrip(";")) for s in found] == [
        (s.name, s.about, s.sql.rstrip(";")) for s in statements
    ]
    nameless = both("sql", "CREATE TABLE t (a);\nSELECT a FROM t;\n")["statements"]
    assert [s["name"] for s in nameless] == ["statement 1", "statement 2"]


ODD = {
    "md": "Setext\n======\n\nWords with *marks*.\n\n```\n# no heading\n| a | b |\n```\n\n### Deep ###\n\n|a|b|\n|:-|-:|\n|x\\|y|007|\n",
    "html": "<p>Before<br>after<h1>A <b>bold</b> title</h1><ul><li>one<li>two</ul><table><tr><td>n<td>v<tr><td>x<td>1,5</table>",
    "tex": "\\documentclass{a}\n\\begin{document}\nIntro % not this\n\\section*{A \\emph{b}}\n\\begin{itemize}\n\\item one\n"
    "\\end{itemize}\n\\begin{tabular}{l|r}\nA & B \\\\ \\hline\nx \\& y & 0.50 \\\\[2pt]\n\\end{tabular}\n\\end{document}\n",
    "yaml": "a: 1\nb:\n- x\n- why: [] # none\n",
    "csv": 'a,b\n"x, y",007\n\nz,1e5\n',
}


@pytest.mark.parametrize("form", sorted(ODD))
def test_files_that_were_not_written_here_are_understood_alike(form: DocumentFormat) -> None:
    said = json.dumps(both(form, ODD[form]))
    assert "no heading" not in [s["heading"] for s in json.loads(said).get("sections", [])]
    assert "not this" not in said


def test_a_search_finds_parts_whatever_the_case_and_the_underscores() -> None:
    papers = [document("json", '{"late_fee": {"Avon": 3}}'), document("csv", "region,late fee\nAvon,3\n")]
    assert [part for _, part in search(papers, "LATE fee")] == ["Avon", "late_fee.Avon"]
    assert dict(parts_of(papers[1])) == {"Avon": "region: Avon, late fee: 3"}


def test_all_formats_are_known() -> None:
    assert set(ODD) | {"json", "sql"} == set(FORMATS)
