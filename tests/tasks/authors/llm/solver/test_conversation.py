"""Long conversations: what is left out first, and what never is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tasks.authors.llm.model import Message, ToolSpec, ToolUse, Turn
from tasks.authors.llm.solver.conversation import Attended, shorten, tokens_of
from tests.tasks.authors.llm.scripted import ScriptedModel, call

TASK = (Message("system", "Work."), Message("user", "Count the loaves. " * 40))


class Count(BaseModel):
    loaves: int


def conversation(*results: str) -> tuple[Message, ...]:
    """Return a conversation of one call a turn with these results."""
    turns = [
        (Message("assistant", "on I go", (ToolUse(f"use-{n}", "list_loaves", {"page": n}),)), Message("tool", result))
        for n, result in enumerate(results)
    ]
    return (*TASK, *(message for turn in turns for message in turn))


def whole(shown: tuple[Message, ...], messages: tuple[Message, ...]) -> list[bool]:
    """Say of each result whether it is shown as it was."""
    return [new == old for new, old in zip(shown, messages, strict=True) if old.role == "tool"]


def size(messages: tuple[Message, ...]) -> int:
    return sum(tokens_of(message.content) for message in messages)


def test_what_fits_is_shown_whole() -> None:
    messages = conversation("rye " * 500, "oat " * 500)
    assert shorten(messages, 100_000) == messages


def test_the_oldest_results_go_first_and_the_last_turn_stays() -> None:
    messages = conversation(*["rye " * 500] * 5)
    kept = [whole(shorten(messages, most), messages) for most in (3200, 2600, 1900, 1, -5)]
    assert kept == [
        [False, True, True, True, True],
        [False, False, True, True, True],
        [False, False, False, True, True],
        [False, False, False, False, True],
        [False, False, False, False, True],
    ]


def test_two_results_of_the_last_turn_both_stay() -> None:
    messages = (*conversation("rye " * 500, "oat " * 500), Message("tool", "bun " * 500))
    assert whole(shorten(messages, 1), messages) == [False, True, True]


@given(
    st.lists(st.text(max_size=600) | st.integers(400, 4000).map(lambda length: "面包" * length), max_size=8),
    st.integers(0, 9000),
)
def test_only_results_are_shortened_and_no_more_than_is_needed(results: list[str], most: int) -> None:
    messages = conversation(*results)
    shown = shorten(messages, most)
    assert [m for m in shown if m.role != "tool"] == [m for m in messages if m.role != "tool"]
    assert [m.role for m in shown] == [m.role for m in messages] and size(shown) <= size(messages)
    kept = [
        stays
        for stays, message in zip(whole(shown, messages), [m for m in messages if m.role == "tool"], strict=True)
        if len(message.content) > 600
    ]
    assert all(not (old and not new) for old, new in pairwise(kept)), "an older one is kept, a newer one is not"
    assert shorten(messages, most) == shown == shorten(shown, size(shown) + 1000)


def test_a_token_is_an_ideogram_or_three_letters() -> None:
    assert tokens_of("面包店") == 3 and tokens_of("loaves") == 2 and tokens_of("") == 0


def test_a_model_is_shown_what_fits_beside_its_tools_and_heard_when_it_thinks() -> None:
    said: list[str] = []
    turns = [Turn(thought="I see.", message=Message("assistant", "I see.")), call("list_loaves")]
    model = ScriptedModel("solver", turns, subject="bakery")
    attended = Attended(model, 2000, said.append)
    messages = conversation("rye " * 500, "oat " * 500)
    attended.act(messages, (), Count)
    attended.act(messages, [ToolSpec("list_loaves", "bread " * 500, {"type": "object"})], Count, attempt=3)
    assert [whole(seen, messages) for seen in model.seen] == [[True, True], [False, True]]
    assert said == ["I see."] and model.attempts == [0, 3]
    assert (attended.role, attended.subject, attended.name) == ("solver", "bakery", "scripted")
