"""Sets that overlap enough are found among many; the estimate misses none that is nearly equal."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tasks.similarity.shingles import Index, overlap, shingles

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=9)


@given(WORDS, WORDS)
def test_overlap_is_a_share_and_the_same_both_ways(one: list[str], other: list[str]) -> None:
    left, right = shingles(one), shingles(other)
    assert 0 <= overlap(left, right) == overlap(right, left) <= 1
    assert overlap(left, left) == 1


def test_runs_of_three_words_or_all_of_fewer() -> None:
    assert shingles("a b c d".split()) == {"a b c", "b c d"}
    assert shingles(["a", "b"]) == {"a b"}
    assert overlap(frozenset(), frozenset()) == 0


def test_what_is_nearly_equal_is_near_and_what_is_not_is_left_out() -> None:
    rng, index = random.Random("sets"), Index()
    texts = {f"t{n:03}": [rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(60)] for n in range(200)}
    for key, words in texts.items():
        index.add(key, shingles(words))
    for key, words in list(texts.items())[:40]:
        assert index.near(shingles([*words[:-2], "new", "end"])) == [key]
