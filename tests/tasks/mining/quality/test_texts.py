import re

import polars as pl
import pytest

from tasks.mining.quality.texts import MOST_TEXTS, PATTERNS, text_batch
from tests.tasks.mining.quality.conftest import MakeWorld, SmallWorld, mined_frames, mined_profile
from tests.tasks.mining.quality.test_tables import failed, first

TRACES = {
    "expect_texts_without_null_tokens": [
        "N/A",
        "n/a",
        "nan",
        "NaN",
        "NULL",
        "<NA>",
        "#REF!",
        "#DIV/0!",
        "-",
        "--",
        "??",
        "",
    ],
    "expect_texts_without_mojibake": ["cafÃ©", "donâ€™t", "Â£5", "naïve \ufffd", "Ã‰tienne", "ï»¿id"],
    "expect_texts_without_markup": [
        "<b>bold</b>",
        "a<br/>b",
        "<a href='x'>x</a>",
        "Tom &amp; Jerry",
        "&#39;",
        "&#x27;",
    ],
    "expect_texts_without_outer_whitespace": [" x", "x ", "x\u00a0", "\tx", "x\n"],
    "expect_texts_without_control_characters": ["a\u0007b", "a\u009fb", "a\u200bb", "\ufeffid", "a\u202eb"],
}
CLEAN = [
    *("São Paulo", "SÃO PAULO", "ÂNGELA", "Nation", "A/N", "Nandi", "None of these", "x - y", "what?", "naïve", "東京"),
    *(
        "AT&T",
        "a < b > c",
        "<unknown>",
        "R&D; see below",
        "two\nlines",
        "inner  space",
        "👩‍👧",
        "3 <5>",
        "£5",
        "Nullarbor",
    ),
]


@pytest.fixture
def world(make_world: MakeWorld) -> SmallWorld:
    return make_world("bookings")


def test_every_pattern_has_traces() -> None:
    assert TRACES.keys() == PATTERNS.keys()


@pytest.mark.parametrize(("name", "trace"), [(name, trace) for name in TRACES for trace in TRACES[name]])
def test_a_trace_matches_its_pattern_alone_in_python(name: str, trace: str) -> None:
    assert re.search(PATTERNS[name][0], trace)


@pytest.mark.parametrize("name", TRACES)
def test_traces_are_found_by_the_gate(world: SmallWorld, name: str) -> None:
    traces = TRACES[name]
    notes = [*traces, *[None] * (60 - len(traces))]
    results = world.judge({"shops": world.frames["shops"].with_columns(note=pl.Series(notes, dtype=pl.String))})
    found = failed(results, "shops", "note", name, "warning")
    assert [(r.unexpected, r.checked) for r in found] == [(len(traces), len(traces))]


def test_clean_texts_leave_no_trace(world: SmallWorld) -> None:
    notes = pl.Series([CLEAN[i % len(CLEAN)] for i in range(60)])
    results = world.judge({"shops": world.frames["shops"].with_columns(note=notes)})
    assert [r.detail for r in results if r.expectation in PATTERNS and not r.passed] == []


def test_rows_that_share_a_text_are_all_counted(world: SmallWorld) -> None:
    notes = pl.Series(["<b>x</b>"] * 7 + ["fine"] * 53)
    results = world.judge({"shops": world.frames["shops"].with_columns(note=notes)})
    found = failed(results, "shops", "note", "expect_texts_without_markup", "warning")
    assert [(r.unexpected, r.checked) for r in found] == [(7, 60)]


def test_a_control_character_is_shown_escaped(world: SmallWorld) -> None:
    results = world.judge({"shops": first("note", "a\u0007b")(world.frames["shops"])})
    found = failed(results, "shops", "note", "expect_texts_without_control_characters", "warning")
    assert found[0].detail.isprintable() and "a\\x07b" in found[0].detail


def test_of_many_texts_a_spread_is_looked_at() -> None:
    frames = mined_frames()
    many = 3 * MOST_TEXTS
    frames["shops"] = pl.DataFrame({"note": [f"note {i:06}" for i in range(many)]})
    view = text_batch(mined_profile(), frames).frame.filter(pl.col("table") == "shops")
    assert view.height == MOST_TEXTS
    assert view["text"].to_list()[:2] == ["note 000000", "note 000003"]
