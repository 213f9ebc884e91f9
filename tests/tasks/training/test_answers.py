"""What a last message answers: the object that it ends with, whatever stands around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.training.answers import answer_in

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
PROSE = st.text(alphabet="abc .,:\n`", max_size=20)


@given(PROSE, OBJECTS, OBJECTS, PROSE)
def test_the_last_object_is_the_answer(before: str, one: dict, other: dict, after: str) -> None:
    assert answer_in(f"{before}{json.dumps(one)}{before}{json.dumps(other, ensure_ascii=False)}{after}") == other


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ('```json\n{"albums": 5}\n```', {"albums": 5}),
        ('<think>{"albums": 4}</think>{"albums": 5}', {"albums": 5}),
        ('{"albums": 5}<think>{"albums": 4}', {"albums": 5}),
        ('<think>{"albums": 5}', None),
        ('{"outer": {"albums": 5}}', {"outer": {"albums": 5}}),
        ('{broken {"albums": 5}', {"albums": 5}),
        ('{"albums": NaN}', None),
        ("[5]", None),
        ("", None),
        ("{" * 20_000, None),
    ],
)  # fmt: skip
def test_what_stands_around_it(said: str, answer: dict | None) -> None:
    assert answer_in(said) == answer
