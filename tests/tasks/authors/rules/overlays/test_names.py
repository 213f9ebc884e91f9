"""Names of operational tables and columns: free and legal beside whatever a data set calls its own."""

from __future__ import annotations

import keyword

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.authors.rules.overlays.review_requests import REVIEWS
from tasks.authors.rules.tools.names import RESERVED_ARGUMENTS
from tasks.mining.environments import overlay_frames
from tests.tasks.authors.rules.odd_worlds import ODD_WORLDS, Odd, mined

OWN = REVIEWS.own_names
START = "2025-01-01T09:00:00"


@given(
    key=st.sampled_from([*sorted(OWN), *sorted(RESERVED_ARGUMENTS), *keyword.kwlist, "straße", "2nd", "a b", "code"])
)
def test_the_hosts_column_is_legal_and_free(key: str) -> None:
    frame = pl.DataFrame({key: [1, 2, 3]})
    host = mined({"hosts": Odd(frame, "host row", "host rows")}).profile.tables[0]
    name = host_column_name(host, OWN)
    assert name.isidentifier() and name.isascii() and not keyword.iskeyword(name)
    assert name not in OWN | RESERVED_ARGUMENTS
    assert (name == key) == (key == "code")


@pytest.mark.parametrize("archetype", ["bookings", "purchase_orders", "service_tickets", "review_requests"])
def test_operational_tables_get_another_name_where_a_mined_one_has_theirs(archetype: str) -> None:
    plain = mined(ODD_WORLDS["reserved"]())
    choice = OverlayChoice(archetype=archetype, host="group")
    usual = propose_overlay(plain.profile, plain.frames, choice, 0, START)
    first = usual.tables[0].name
    clash = mined({**ODD_WORLDS["reserved"](), first: Odd(pl.DataFrame({"x": [1, 2]}), "thing", "things")})
    renamed = propose_overlay(clash.profile, clash.frames, choice, 0, START)
    second = usual.tables[1].name
    assert renamed.operations.tables == {first: f"staff_{first}", second: second}
    assert usual.operations.tables == {first: first, second: second}
    assert f'"{first}"' not in renamed.operations.model_dump_json().replace(f'"{first}":', "")
    assert [t.name for t in renamed.tables] == [f"staff_{first}", usual.tables[1].name]
    assert set(renamed.rows) == set(renamed.checks) == {t.name for t in renamed.tables}
    names = {t.name for t in renamed.tables}
    assert set(renamed.contract.writable) | set(renamed.contract.generated_keys) <= names
    assert all(f.to_table in names | {"group"} for t in renamed.tables for f in t.foreign_keys)
    assert overlay_frames(renamed)[f"staff_{first}"].equals(overlay_frames(usual)[first])


def test_a_noun_that_a_mined_table_has_is_not_used_twice() -> None:
    odd = {"people": Odd(pl.DataFrame({"x": list(range(20))}), "reviewer", "reviewers")}
    found = mined(odd)
    overlay = propose_overlay(found.profile, found.frames, None, 0, START)
    assert [t.plural for t in overlay.tables] == ["staff reviewers", "review requests"]
