"""What models print around an object does not matter; what is cut off, broken or double is refused, never guessed."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.authors.llm.client.parsing import Refused, parse_action, parse_arguments, parse_object

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)
PROSE = st.sampled_from(
    ["", "Sure, here it is:\n", "I looked at [1] and {the list}. ", "结果如下：\n", "**Answer** - "]
)
WRAPPINGS: dict[str, str] = {
    "bare": "%s",
    "fence": "```json\n%s\n```",
    "plain fence": "```\n%s\n```\n",
    "tag": "<tool_call>\n%s\n</tool_call>",
    "reasoning": '<think>I might call {"tool": "a"} first.</think>\n%s',
    "running on": "%s\nResult: 3 rows found.\nUser: and the next one?",
}
property_test = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def refusal(text: str) -> str:
    with pytest.raises(Refused) as caught:
        parse_object(text)
    return caught.value.reason


@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=WRAPPINGS)
@given(found=OBJECTS, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
@property_test
def test_an_object_comes_out_of_each_wrapping(
    wrapping: str, found: dict[str, Any], indent: int | None, ascii_only: bool
) -> None:
    printed = json.dumps(found, indent=indent, ensure_ascii=ascii_only)
    assert parse_object(wrapping.replace("%s", printed)) == found


@given(found=OBJECTS, before=PROSE, after=PROSE)
@property_test
def test_an_object_comes_out_of_prose(found: dict[str, Any], before: str, after: str) -> None:
    assert parse_object(f"{before}{json.dumps(found)}\n{after}") == found


@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=WRAPPINGS)
@given(found=OBJECTS, data=st.data())
@property_test
def test_what_is_cut_off_is_refused(wrapping: str, found: dict[str, Any], data: st.DataObject) -> None:
    printed = json.dumps(found)
    text = wrapping.replace("%s", printed)
    end = text.index(printed) + len(printed)
    assert refusal(text[: data.draw(st.integers(0, end - 1))]) in ("truncated", "broken_json", "no_json", "empty")


@given(text=st.text(max_size=60) | st.text(alphabet='{}[]":,a1 \\n', max_size=30))
@property_test
def test_any_text_gives_an_object_that_stands_in_it_or_is_refused(text: str) -> None:
    try:
        found = parse_object(text)
    except Refused:
        return
    decoder = json.JSONDecoder()
    starts = [at for at, sign in enumerate(text) if sign == "{"]
    assert any(decodes_to(decoder, text, at, found) for at in starts)


def decodes_to(decoder: json.JSONDecoder, text: str, at: int, found: dict[str, Any]) -> bool:
    try:
        return decoder.raw_decode(text, at)[0] == found
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("text", "reason"),
    {
        "nothing": (" \n", "empty"),
        "prose": ("I cannot find it.", "no_json"),
        "prose with brackets": ("See [1] and {name}.", "no_json"),
        "a list": ('[{"tool": "a"}]', "no_json"),
        "a cut list": ('[{"tool": "a"}, {"to', "truncated"),
        "reasoning without end": ('<think>I call {"tool": "a"}', "truncated"),
        "two objects": ('{"tool": "a"}\n{"tool": "b"}', "two_objects"),
        "a made-up result": ('{"tool": "a"}\nResult: {"rows": 3}', "two_objects"),
        "a made-up result, cut off": ('{"tool": "a"}\nResult: {"rows": [', "two_objects"),
        "a second call in a list": ('{"tool": "a"} [{"tool": "b"}]', "two_objects"),
        "single quotes": ("{'tool': 'a'}", "broken_json"),
        "a bare key around an object": ('{tool: {"a": 1}}', "broken_json"),
        "a trailing comma": ('{"a": 1,}', "broken_json"),
        "a comment": ('{"a": 1 // one\n}', "broken_json"),
        "a key twice": ('{"a": 1, "a": 2}', "broken_json"),
        "no number": ('{"a": NaN}', "broken_json"),
        "infinite": ('{"a": -Infinity}', "broken_json"),
        "out of range": ('{"a": 1e999}', "broken_json"),
        "half of a pair": (r'{"a": "\ud83d"}', "broken_json"),
        "too many digits": ('{"a": ' + "9" * 5000 + "}", "broken_json"),
        "too deep": ('{"a": ' + "[" * 100_000, "broken_json"),
        "a cut literal": ('{"a": tru', "truncated"),
        "a cut escape": (r'{"a": "x\u12', "broken_json"),
        "a cut number": ('{"a": -', "truncated"),
    }.values(),
)
def test_refused(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_an_object_said_twice_is_one() -> None:
    assert parse_object('```json\n{"a": 1}\n```\nThat is {"a":1}.') == {"a": 1}


@pytest.mark.parametrize(
    "printed",
    [
        {"tool": "find", "arguments": {"n": 1}},
        {"name": "find", "arguments": {"n": 1}},
        {"name": "find", "parameters": {"n": 1}},
        {"name": "find", "arguments": '{"n": 1}'},
        {"function": {"name": "find", "arguments": '{"n": 1}'}},
        {"type": "function", "id": "x", "function": {"name": "find", "arguments": {"n": 1}}},
    ],
)
def test_a_call_in_each_form_that_models_print(printed: dict[str, Any]) -> None:
    action = parse_action({**printed, "thought": "why"})
    assert (action.tool, action.arguments, action.thought) == ("find", {"n": 1}, "why")


@pytest.mark.parametrize(
    "printed",
    [
        {"answer": 3},
        {"tool": "a", "name": "b", "arguments": {}},
        {"tool": ["a"], "arguments": {}},
        {"tool": "a", "arguments": {}, "parameters": {"n": 1}},
        {"tool": "a", "arguments": [1]},
        {"tool": "a", "arguments": "3"},
    ],
)
def test_what_is_no_call_is_refused(printed: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        parse_action(printed)
    assert caught.value.reason == "wrong_schema"


def test_arguments() -> None:
    assert parse_arguments("") == parse_arguments("{}") == {}
    for said, reason in [('{"a": 1', "truncated"), ('{"a": 1} {}', "broken_json"), ("a = 1", "broken_json")]:
        with pytest.raises(Refused) as caught:
            parse_arguments(said)
        assert caught.value.reason == reason
