"""Requests in each mode, and replies read in each of the forms that models give them."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from schemas.models import Mode, RefusalReason
from tasks.authors.llm.client.door import Reply
from tasks.authors.llm.client.parsing import Refused
from tasks.authors.llm.client.structure import Sampling, Wanted, build_body, read_turn, repair_messages, warmer
from tasks.authors.llm.model import Message, ToolSpec, ToolUse
from tests.tasks.authors.llm.stand_in import native_call

MODES: tuple[Mode, ...] = ("native", "json_schema", "text")
FIND = ToolSpec(
    "find_city",
    "Find a city.",
    {"type": "object", "properties": {"name": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["name"]},
)


class Total(BaseModel):
    """The total."""

    total: int


ACTING = Wanted(Total, (FIND,), acting=True)
ASKING = Wanted(Total)
TALK = [
    Message("system", "You look things up."),
    Message("user", "How many?"),
    Message("assistant", "I look.", uses=(ToolUse("call-1", "find_city", {"name": "Åre"}),)),
    Message("tool", "3 rows", answers="call-1"),
]


def body(wanted: Wanted, mode: Mode, attempt: int = 0, messages: list[Message] = TALK) -> dict[str, Any]:
    return build_body(messages, wanted, Sampling("m", mode, 0.0, 100, attempt))


def said(content: str | None, finish_reason: str = "stop", **more: Any) -> Reply:
    return Reply({"role": "assistant", "content": content, **more}, finish_reason, 1, 1)


def refusal(reply: Reply, wanted: Wanted = ACTING) -> str:
    with pytest.raises(Refused) as caught:
        read_turn(reply, TALK, wanted)
    return caught.value.reason


@pytest.mark.parametrize("wanted", [ACTING, ASKING], ids=["act", "ask"])
@pytest.mark.parametrize("mode", MODES)
def test_a_request_is_equal_each_time_bounded_and_json(mode: Mode, wanted: Wanted) -> None:
    first = body(wanted, mode)
    assert json.dumps(first) == json.dumps(body(wanted, mode))
    assert (first["model"], first["max_tokens"], first["temperature"]) == ("m", 100, 0.0) and "seed" not in first
    assert first["messages"][0]["role"] == "system" and "You look things up." in first["messages"][0]["content"]


def test_further_attempts_are_other_samples() -> None:
    assert [body(ASKING, "text", attempt).get("seed") for attempt in range(3)] == [None, 1, 2]
    assert body(ASKING, "text", 1)["temperature"] == 0.7
    repairing = build_body(TALK, ASKING, warmer(Sampling("m", "text", 0.0, 100)))
    assert (repairing["temperature"], repairing["seed"]) == (0.7, 0)


def test_native_calls_are_answered_by_the_tool_role() -> None:
    asked = body(ACTING, "native")
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["find_city", "finish"]
    assert asked["tool_choice"] == "required" and "response_format" not in asked
    call, result = asked["messages"][2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] == "call-1"
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"name": "Åre"}


@pytest.mark.parametrize("mode", ["json_schema", "text"])
def test_without_native_calls_there_is_no_tool_role_and_turns_alternate(mode: Mode) -> None:
    asked = body(ACTING, mode, messages=[*TALK, Message("user", "Go on.")])
    assert [message["role"] for message in asked["messages"]] == ["system", "user", "assistant", "user"]
    assert json.loads(asked["messages"][2]["content"])["arguments"] == {"name": "Åre"}
    assert asked["messages"][3]["content"] == "3 rows\n\nGo on." and "tools" not in asked
    assert ("response_format" in asked) is (mode == "json_schema")


def test_the_envelope_holds_one_action() -> None:
    form = body(ACTING, "json_schema")["response_format"]["json_schema"]
    holds = Draft202012Validator(form["schema"]).is_valid
    assert holds({"thought": "", "tool": "find_city", "arguments": {"name": "x"}})
    assert holds({"thought": "", "tool": "finish", "arguments": {"total": 3}})
    assert not holds({"thought": "", "tool": "finish", "arguments": {"name": "x"}})
    assert not holds({"thought": "", "tool": "drop", "arguments": {}}) and not holds({"tool": "finish"})


def test_only_finishing_is_left_where_no_tools_are_offered() -> None:
    last = Wanted(Total, (), acting=True)
    assert [tool["function"]["name"] for tool in body(last, "native")["tools"]] == ["finish"]
    assert len(body(last, "json_schema")["response_format"]["json_schema"]["schema"]["anyOf"]) == 1
    assert "finish" in body(last, "text")["messages"][0]["content"]


def test_a_tool_called_finish_keeps_its_name() -> None:
    wanted = Wanted(Total, (ToolSpec("finish", "Finish a race.", {"type": "object", "properties": {}}),), acting=True)
    assert wanted.finish != "finish"
    turn = read_turn(said(json.dumps({"tool": "finish", "arguments": {}})), TALK, wanted)
    assert turn.finish is None and turn.uses[0].tool == "finish"


@pytest.mark.parametrize(
    "reply",
    [
        said('{"thought": "", "tool": "find_city", "arguments": {"name": "Oslo"}}'),
        said('```json\n{"name": "find_city", "arguments": "{\\"name\\": \\"Oslo\\"}"}\n```\nResult: 1 row'),
        said(None, tool_calls=[native_call("find_city", {"name": "Oslo"})]),
        said("", tool_calls=[{"function": {"name": "find_city", "arguments": {"name": "Oslo"}}}]),
        said([{"type": "text", "text": '{"tool": "find_city", "arguments": {"name": "Oslo"}}'}]),
        said('{"tool": "find_city", "arguments": {"name": "Oslo"}}\nUser: thank', "length"),
    ],
    ids=["action", "printed in a fence, running on", "native", "arguments as an object", "parts", "cut after it"],
)
def test_a_call_however_it_comes(reply: Reply) -> None:
    turn = read_turn(reply, TALK, ACTING)
    assert turn.uses == (ToolUse("call-2", "find_city", {"name": "Oslo"}),) == turn.message.uses
    assert turn.finish is None


def test_ids_are_the_factorys_own() -> None:
    calls = [native_call("find_city", {"name": name}, "same") for name in ("Oslo", "Rome")]
    turn = read_turn(said(None, tool_calls=calls), TALK, ACTING)
    assert [use.id for use in turn.uses] == ["call-2", "call-3"]
    assert [use.arguments["name"] for use in turn.uses] == ["Oslo", "Rome"]


def test_an_answer_is_an_instance_of_its_schema() -> None:
    for reply, wanted in [
        (said('{"total": 3}'), ASKING),
        (said('{"thought": "done", "tool": "finish", "arguments": {"total": 3}}'), ACTING),
        (said(None, tool_calls=[native_call("finish", {"total": 3}), native_call("finish", {"total": 3})]), ACTING),
    ]:
        turn = read_turn(reply, TALK, wanted)
        assert turn.finish == Total(total=3) and turn.uses == () and len(turn.message.uses) == 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (said(""), "empty"),
        (said(None), "empty"),
        (said("", "length"), "truncated"),
        (said("I cannot help.", refusal="I cannot help."), "refusal"),
        (said("", "content_filter"), "refusal"),
        (Reply({}, "too_long", 0, 0), "too_long"),
        (said("Let me think about it."), "no_json"),
        (said('{"tool": "find_city", "arguments": {"na', "length"), "truncated"),
        (said('{"tool": "find_city", "arguments": {"na'), "truncated"),
        (said('{"tool": "drop_city", "arguments": {}}'), "unknown_tool"),
        (said(None, tool_calls=[native_call("drop_city", {})]), "unknown_tool"),
        (said(None, tool_calls=[native_call("find_city", '{"name": "Os')]), "truncated"),
        (said(None, tool_calls=[{"function": "find_city"}]), "wrong_schema"),
        (
            said(None, tool_calls=[native_call("finish", {"total": 1}), native_call("finish", {"total": 2})]),
            "two_objects",
        ),
        (said('{"tool": "finish", "arguments": {"total": "many"}}'), "wrong_schema"),
        (said('{"total": 3}'), "wrong_schema"),
    ],
)
def test_refused(reply: Reply, reason: str) -> None:
    assert refusal(reply) == reason


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["find_city", '{"name": "Oslo"}']),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["function", "name", "arguments", "text", "type"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(message=st.fixed_dictionaries({"content": JSON, "tool_calls": JSON, "refusal": JSON}), end=st.text(max_size=6))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
def test_any_message_is_read_or_refused(message: dict[str, Any], end: str) -> None:
    for wanted in (ACTING, ASKING):
        try:
            turn = read_turn(Reply(message, end, 0, 0), TALK, wanted)
        except Refused as refused:
            assert refused.reason in get_args(RefusalReason)
        else:
            assert turn.uses or isinstance(turn.finish, Total)


def test_a_repair_turn_shows_the_response_and_its_fault() -> None:
    reply = said(None, tool_calls=[native_call("drop_city", {"name": "x" * 9000})])
    response, fault = repair_messages(reply, Refused("unknown_tool", "there is no such tool"))
    assert (response.role, fault.role) == ("assistant", "user")
    assert "drop_city" in response.content and len(response.content) <= 2000 and "no such tool" in fault.content
    assert repair_messages(said(""), Refused("empty", ""))[0].content


def test_halves_of_surrogate_pairs_are_not_sent() -> None:
    asked = body(ASKING, "text", messages=[Message("user", "a\ud83d")])
    json.dumps(asked, ensure_ascii=False).encode()
