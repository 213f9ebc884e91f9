"""What a program leaves for its request to say, and answers that are not of the type they announce."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from schemas.answers import AnswerField, ValueType
from schemas.tasks import DraftKind
from tasks.authors.decompiler import read_program
from tasks.authors.llm.writer.trials import misfit, stated
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.mentions import mentions
from tests.tasks.proving_ground import ProvingGround

SOURCE = """
def solve(call):
    since = "2011-01-01"
    page = call("search_purchase_orders", status="draft", sort_by="created_at", descending=True, limit=50)
    notes = []
    for name in ["Ada", "Noah"]:
        found = call("search_tracks", track_name_contains=name, min_duration=9000, limit=1)
        notes.append({"what": "seen", "id": found["total"]})
    for row in page["items"][:3]:
        if row["created_at"] > since and row["quantity"] != 12:
            made = call("create_purchase_order", album_id=row["album_id"], quantity=7)
            if "error" in made:
                word = {"exceeds_capacity": "no room"}[made["error"]["code"]]
            else:
                word = "ordered"
            notes.append({"what": word, "id": row["album_id"]})
    return {"words": [note["what"] for note in notes]}
"""


def test_what_nobody_can_look_up_is_to_be_said(records: ProvingGround) -> None:
    assert set(stated(read_program(SOURCE), records.tools)) == {
        *("2011-01-01", "draft", "Ada", "Noah", "seen", "no room", "ordered"),
        *(9000, 3, 12, 7),
    }


@pytest.mark.parametrize("kind", ["graph", "programmatic"])
def test_requests_of_the_rules_say_all_of_it(records: ProvingGround, kind: DraftKind) -> None:
    """Nothing is asked for that a complete request does not state: their wordings are complete by construction."""
    for draft in islice(RulesAuthor().propose_tasks(kind, records.setting, 7), 25):
        assert [each for each in stated(draft.program, records.tools) if not mentions(draft.request, each)] == []


@pytest.mark.parametrize(
    ("kind", "fits", "does_not"),
    [
        ("integer", 3, True),
        ("integer", 3, 3.5),
        ("number", 3.5, "3.5"),
        ("text", "x", 1),
        ("date", "2012-02-29", "2012-02-30"),
        ("date", "2012-02-29", "2012-02-29T00:00:00"),
        ("datetime", "2012-02-29T08:00:00", "2012-02-29"),
        ("boolean", False, 0),
        ("list", ["a", "b"], "a"),
        ("list", ["a", "b"], ["a", 1]),
    ],
)
def test_a_value_of_another_type(kind: ValueType, fits: Any, does_not: Any) -> None:
    field = AnswerField(name="answer", type=kind, description="", item_type="text" if kind == "list" else None)
    assert misfit(field, fits) is None
    assert "answer is announced as" in str(misfit(field, does_not))
