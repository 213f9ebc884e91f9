"""Which tools a table gets: figures for lone tables too, nothing for empty ones, arguments that differ."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from schemas.profiles import WorldProfile
from schemas.rounds import Guideline
from tasks.authors.base import WorldDraft
from tasks.authors.rules.operations.walks import tables_of_action
from tasks.authors.rules.overlays.choice import choose_next
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.authors.rules.tools.choice import choose_reads, view_tables
from tasks.mining.drafts import begin_draft, lay_over
from tests.tasks.authors.rules.odd_worlds import ODD_WORLDS, Odd, mined

ROWS = list(range(1, 61))


def _chosen(tables: dict[str, Odd]) -> tuple[set[str], set[str], set[str]]:
    profile = mined(tables).profile
    reads = choose_reads(profile, view_tables(profile), ())
    return set(reads.search), set(reads.summarize), set(reads.top)


def test_a_lone_table_is_ranked_and_summarised_and_a_survey_is_counted() -> None:
    assert _chosen(ODD_WORLDS["unicode"]()) == ({"places"}, {"places"}, {"places"})
    assert _chosen(ODD_WORLDS["survey"]()) == ({"responses"}, {"responses"}, set())
    assert _chosen(ODD_WORLDS["bare"]()) == ({"notes"}, set(), set())


def test_of_linked_tables_only_those_that_refer_are() -> None:
    kinds = pl.DataFrame({"kind": ["a", "b", "c"], "size": [1, 5, 9]})
    things = pl.DataFrame({"id": ROWS, "kind": ["a", "b", "c"] * 20, "weight": [n * 7 % 31 for n in ROWS]})
    tables = {
        "kinds": Odd(kinds, "kind", "kinds", opaque=False),
        "things": Odd(things, "thing", "things", references={"kind": "kinds"}),
    }
    assert _chosen(tables) == ({"kinds", "things"}, {"things"}, {"things"})


def test_a_table_without_rows_gets_no_tool() -> None:
    profile = mined(ODD_WORLDS["empty"]()).profile
    reads = choose_reads(profile, view_tables(profile), ())
    assert set(reads.get) | set(reads.search) == {"items"} and reads.lists == ()


def test_arguments_differ_where_a_column_is_called_like_another_ones_bound() -> None:
    view = view_tables(mined(ODD_WORLDS["reserved"]()).profile)["group"]
    parameters = {f.parameter: (f.column, f.comparator) for f in view.filters}
    assert len(parameters) == len(view.filters)
    assert parameters["max_value"] == ("max_value", "eq") and parameters["max_value_"] == ("value", "max")
    assert parameters["limit_"] == ("limit", "eq")


def test_whole_numbers_whose_sum_has_no_room_are_no_measures() -> None:
    view = view_tables(mined(ODD_WORLDS["numbers"]()).profile)["readings"]
    assert "serial" not in view.measures and {"share", "tiny", "vast"} <= set(view.measures)


def test_a_table_of_many_columns_keeps_few_arguments() -> None:
    wide = {f"question_{n}": [("yes", "no", "maybe")[(row * n) % 3] for row in ROWS] for n in range(1, 41)}
    odd = Odd(pl.DataFrame({"id": ROWS, **wide}), "answer", "answers")
    view = view_tables(mined({"answers": odd}).profile)["answers"]
    assert len(view.filters) <= 6 and len(view.groups) <= 5 and len(view.brief) <= 4


def _grown() -> WorldDraft:
    """Return a world with three archetypes and a log that operations write to."""
    draft = begin_draft(mined(ODD_WORLDS["reserved"]()))
    for _ in range(3):
        present = [layer.archetype for layer in draft.operations]
        choice = choose_next(draft.profile, present, Guideline())
        assert choice is not None
        draft = lay_over(draft, propose_overlay(draft.profile, draft.frames, choice, 0, draft.clock_start))
    log = draft.profile.tables[-1].model_copy(update={"name": "log", "singular": "log entry", "plural": "log entries"})
    profile = WorldProfile(tables=[*draft.profile.tables, log], sampling=draft.profile.sampling)
    return replace(draft, profile=profile)


def test_of_several_archetypes_most_tools_touch_more_than_one_table() -> None:
    draft = _grown()
    reads = choose_reads(draft.profile, view_tables(draft.profile), draft.operations)
    actions = [action for layer in draft.operations for action in layer.actions]
    views = [view for layer in draft.operations for view in layer.views]
    simple = sum(map(len, (reads.get, reads.search, reads.summarize, reads.top)))
    simple += sum(not action.guards and len(tables_of_action(action)) == 1 for action in actions)
    assert len(draft.operations) == 3 and 5 < simple <= (simple + len(actions) + len(views) + len(reads.lists)) / 2
    assert {action.table for action in actions} <= {*reads.search, *reads.get}


def test_a_log_is_no_table_to_look_into_first() -> None:
    draft = _grown()
    reads = choose_reads(draft.profile, view_tables(draft.profile), draft.operations)
    assert "log" not in {*reads.summarize, *reads.top, *(pair.child.name for pair in reads.lists)}
