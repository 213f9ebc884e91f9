"""Texts: every slot of every pattern can be filled, and a noun is of a kind."""

from random import Random

import pytest

from tasks.mining.entities.planning import usual_fields
from tasks.mining.entities.texts import Speaker, draw_text, kind_of, own_slots, slots, text_kinds, theme_words
from tasks.mining.entities.vocabulary import word_lists


def test_every_slot_is_a_list_or_known() -> None:
    assert slots() - own_slots() <= set(word_lists())


@pytest.mark.parametrize("kind", sorted(text_kinds()))
def test_a_kind_composes_different_finished_texts(kind: str) -> None:
    rng = Random(kind)
    titles = {Speaker(rng, "widget").title(kind) for _ in range(60)}
    assert len(titles) > 30
    texts = titles | {Speaker(rng, "widget").body(kind, 2) for _ in range(60)}
    assert all(text.strip() == text and "{" not in text and "  " not in text for text in texts)


@pytest.mark.parametrize("kind", sorted(set(text_kinds())))
def test_a_kind_has_usual_fields(kind: str) -> None:
    assert len({field.name for field in usual_fields(kind)}) == len(usual_fields(kind)) >= 3


@pytest.mark.parametrize(
    ("singular", "kind"),
    [("issue", "issue"), ("pull request", "request"), ("bug report", "document"), ("wiki page", "document"),
     ("customer", "person"), ("gizmo", "thing"), ("", "thing")],
)  # fmt: skip
def test_a_noun_is_of_the_kind_of_its_last_known_word(singular: str, kind: str) -> None:
    assert kind_of(singular) == kind


def test_a_pattern_never_says_a_word_twice() -> None:
    rng = Random("twice")
    for _ in range(200):
        one, other = Speaker(rng).title("course"), draw_text("colors", rng)
        first, _, second = one.partition(" and ")
        assert first.lower() != second.lower()
        assert other


def test_a_themes_words_are_plain_and_few() -> None:
    assert theme_words(["weather_alerts", "x1", "A Far Too Long Phrase Of Words", "weather alerts"]) == [
        "Weather alerts"
    ]
