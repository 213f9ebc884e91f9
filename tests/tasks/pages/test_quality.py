from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas.quality import QualityResult
from tasks.pages.quality import MOST_ROWS, quality_page

_CELL = re.compile(r"(?<!\\)\|")


def result(**more: Any) -> QualityResult:
    basis = {"suite": "table", "table": "shops", "expectation": "e", "severity": "warning", "passed": False}
    return QualityResult.model_validate({**basis, "checked": 1200, "unexpected": 3, **more})


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of every table row of the page."""
    return [[cell.strip() for cell in _CELL.split(line)[1:-1]] for line in page.splitlines() if line.startswith("|")]


def test_a_page_tells_the_verdict_what_failed_and_the_counts() -> None:
    page = quality_page(
        "shop theme",
        [
            result(passed=True, unexpected=0),
            result(column="note", expectation="no_markup", detail="found <b>"),
            result(suite="invariant", expectation="no_dangling_reference", severity="critical", unexpected=1200),
        ],
    )
    assert "**Refused** by 1 critical. 1 of 3 expectations passed; 1 warning." in page
    rows = rows_of(page)
    assert rows[2:4] == [
        ["critical", "`shops`", "no dangling reference", "1,200", "1,200", ""],
        ["warning", "`shops.note`", "no markup", "3", "1,200", "found &lt;b&gt;"],
    ]
    assert rows[-1] == ["`shops`", "2", "1", "1", "1"]


def test_a_page_without_failures_lists_none() -> None:
    page = quality_page("shops", [result(passed=True, unexpected=0), result(passed=True, unexpected=0, table=None)])
    assert "**Accepted.** 2 of 2 expectations passed; 0 warnings." in page
    assert "What failed" not in page
    assert "the world as a whole" in page


def test_a_page_of_nothing_says_so() -> None:
    assert "the gate has not run" in quality_page("shops", [])


def test_a_page_is_bounded() -> None:
    many = [result(table=f"t{i}", detail="x" * 5000) for i in range(300)]
    page = quality_page("shops", many)
    assert len(page) < 25_000
    assert f"And {300 - MOST_ROWS} failed expectations more." in page
    assert f"And {300 - MOST_ROWS} tables more." in page


ANYTHING = st.text(max_size=80)


@given(theme=ANYTHING, table=ANYTHING, column=ANYTHING, detail=ANYTHING)
def test_text_from_data_never_becomes_markup(theme: str, table: str, column: str, detail: str) -> None:
    page = quality_page(theme, [result(table=table, column=column, detail=detail)])
    plain = quality_page("shops", [result(column="note", detail="plain")])
    assert [len(row) for row in rows_of(page)] == [len(row) for row in rows_of(plain)]
    outside_code = re.sub(r"`[^`]*`", "", page)
    assert "<" not in outside_code
    assert [line for line in page.splitlines() if line.startswith("#")][1:] == [
        "## What failed",
        "## What was looked at",
    ]
    assert page.startswith("# Quality of ")
