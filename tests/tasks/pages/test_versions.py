"""Versions: their measures, what each round added, and what was refused with the figures that moved."""

from __future__ import annotations

import json
from typing import Any

from tasks.pages.versions import additions, versions_section

BEFORE = {"tables": 5, "fk_depth": 2, "guarded_writes": 3, "max_chain": 9, "formats": ["sqlite"], "tools": 20}
AFTER = {**BEFORE, "tables": 10, "max_chain": 7, "formats": ["csv", "sqlite"]}
ROUND = {"number": 2, "reason": "takes_away", "detail": "max_chain 9 to 7", "additions": ["history: prices"],
         "measured_before": json.dumps(BEFORE), "measured_after": json.dumps(AFTER)}  # fmt: skip


def version(number: int, **more: Any) -> dict[str, Any]:
    return {"version": number, "additions": [], **BEFORE, **more}


def test_measures_additions_and_refusals() -> None:
    page = versions_section(
        [version(1), version(2, **AFTER, additions=["related: shops", "documents: Fees (csv)"])], [ROUND]
    )
    assert "| 1 | 5 | 2 | 3 | 9 | 1 | 20 |\n| 2 | 10 | 2 | 3 | 7 | 2 | 20 |" in page
    assert "- Version 2 added *related* shops. *documents* Fees (csv)." in page and "Version 1 added" not in page
    row = "| 2 | `takes_away` | max\\_chain 9 to 7 | tables 5 → 10, longest chain 9 → 7, formats 1 → 2 | *history* prices |"
    assert row in page


def test_a_round_without_a_candidate_has_no_figures() -> None:
    page = versions_section([version(1)], [{**ROUND, "measured_after": None, "additions": []}])
    assert "| 2 | `takes_away` | max\\_chain 9 to 7 |   |   |" in page


def test_a_version_without_tools_is_told_without_figures() -> None:
    page = versions_section([{**version(1), **dict.fromkeys(BEFORE)}], [])
    assert "| 1 |   |   |   |   |   |   |" in page and "Refused rounds" not in page
    assert "Nothing was measured." in versions_section([], [])


def test_additions_of_a_kind_are_joined_and_hold_no_markup(nasty: str) -> None:
    assert (
        additions(["documents: A (md)", "policy: B", "documents: C (csv)"]) == "*documents* A (md); C (csv). *policy* B"
    )
    assert "<img" not in additions([f"documents: {nasty}"])
