"""Lifecycles: transitions between statuses, under the source's names where it has some."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.themes import SourceOperation
from tasks.authors.rules.overlays.lifecycles import VERBS, moves, open_statuses


def named(name: str) -> SourceOperation:
    return SourceOperation(name=name, description=name, verb="transition", entity="things")


def test_open_and_closed() -> None:
    found = moves(["open", "closed"], [], 3)
    assert [(m.verb, m.source, m.to) for m in found] == [
        ("close", ("open",), "closed"),
        ("reopen", ("closed",), "open"),
    ]


def test_the_sources_names_come_first() -> None:
    found = moves(["open", "closed"], [named("issues-close"), named("unarchive_issue")], 3)
    assert found[0].called("issue") == "issues_close"
    assert found[1].called("issue") == "unarchive_issue" and found[1].to == "open"


def test_what_leads_to_no_status_is_no_transition() -> None:
    assert all(move.name is None for move in moves(["open", "closed"], [named("star_issue")], 3))


@given(st.lists(st.sampled_from(sorted(VERBS)), min_size=2, max_size=6, unique=True), st.integers(1, 6))
def test_every_transition_leads_elsewhere_from_statuses_that_there_are(statuses: list[str], most: int) -> None:
    found = moves(statuses, [], most)
    assert len(found) <= most
    assert len({move.verb for move in found}) == len(found)
    for move in found:
        assert move.source and move.to in statuses
        assert set(move.source) <= set(statuses) - {move.to}
    assert open_statuses(statuses)
