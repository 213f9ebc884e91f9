"""One request against a server that breaks in every way: a reply or a classified fault, and never the key."""

import json
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest
from pydantic import SecretStr

from tasks.authors.llm.client.door import Fault
from tasks.authors.llm.client.endpoint import MOST_BYTES, Endpoint, retry_after
from tests.tasks.authors.llm.stand_in import (
    Said,
    Script,
    StandIn,
    answer,
    cut_json,
    endless,
    fail,
    half_closed,
    hang,
    message,
    sequence,
    slowly,
)

KEY = "key-of-the-stand-in-4711"
BODY = {"model": "stand-in", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 16, "temperature": 0.0}


def endpoint(server: StandIn, timeout_s: float = 5.0) -> Endpoint:
    return Endpoint(server.url, SecretStr(KEY), timeout_s)


def fault_of(script: Script, timeout_s: float = 5.0) -> Fault:
    with StandIn(script) as server, pytest.raises(Fault) as caught:
        endpoint(server, timeout_s).complete(BODY)
    assert len(server.requests) == 1  # the SDK's own retries are off
    return caught.value


def test_a_reply_is_the_raw_message_and_its_tokens() -> None:
    with StandIn(sequence(message("hello", extra={"n": 1}))) as server:
        reply = endpoint(server).complete(BODY)
    assert reply.message == {"role": "assistant", "content": "hello", "extra": {"n": 1}}
    assert (reply.finish_reason, reply.tokens_in, reply.tokens_out) == ("stop", 11, 7)
    assert server.requests == [BODY]


def test_tokens_are_estimated_where_they_are_not_told() -> None:
    with StandIn(sequence(message("x" * 400, usage=False))) as server:
        assert endpoint(server).complete(BODY).tokens_out >= 100


@pytest.mark.parametrize(
    ("choice", "usage"),
    [
        ({"finish_reason": {"a": 1}}, {"prompt_tokens": "11", "completion_tokens": None}),
        ({"finish_reason": 3}, {"prompt_tokens": -5, "completion_tokens": 10**40}),
        ({}, [1]),
        ({"logprobs": float("-inf")}, None),
    ],
)
def test_what_stands_beside_a_message_may_be_anything(choice: dict[str, object], usage: object) -> None:
    body = {"choices": [{"message": {"content": "hello"}, **choice}], "usage": usage}
    with StandIn(sequence(Said(json.dumps(body).encode()))) as server:
        reply = endpoint(server).complete(BODY)
    assert (reply.message, reply.finish_reason) == ({"content": "hello"}, None)
    assert 0 < reply.tokens_in < 100 and 0 < reply.tokens_out < 100


@pytest.mark.parametrize(
    ("said", "kind", "passing"),
    [
        (fail(429), "busy", True),
        (fail(408), "busy", True),
        (fail(409), "busy", True),
        (fail(500), "server", True),
        (fail(503), "server", True),
        (half_closed(), "unreachable", True),
        (cut_json(), "unreachable", True),
        (Said(b"<html>gateway</html>"), "unreachable", True),
        (Said(b"[]"), "unreachable", True),
        (Said(b'{"error": {"message": "overloaded"}}'), "unreachable", True),
        (Said(b'{"choices": []}'), "unreachable", True),
        (Said(b"[" * 200_000), "unreachable", True),
        (fail(400), "final", False),
        (fail(401), "final", False),
        (fail(403), "final", False),
        (fail(404), "final", False),
        (fail(422), "final", False),
        (fail(400, "This model's maximum context length is 8192 tokens"), "too_long", False),
        (fail(400, "no", code="context_length_exceeded"), "too_long", False),
        (fail(400, "request (9000 tokens) exceeds the available context size (8192 tokens)"), "too_long", False),
    ],
)
def test_faults_are_classified(said: Said, kind: str, passing: bool) -> None:
    fault = fault_of(sequence(said))
    assert (fault.kind, fault.passing) == (kind, passing) and str(fault)


@pytest.mark.parametrize("said", [hang(), slowly(answer({}), 2.0)], ids=["hangs", "slow"])
def test_a_response_is_waited_for_no_longer_than_was_set(said: Said) -> None:
    began = time.monotonic()
    assert fault_of(sequence(said), timeout_s=0.3).kind == "unreachable"
    assert time.monotonic() - began < 2.0


def test_nobody_there() -> None:
    with StandIn(sequence(answer({}))) as server:
        pass
    with pytest.raises(Fault, match="refused") as caught:
        endpoint(server).complete(BODY)
    assert caught.value.kind == "unreachable" and caught.value.status is None


def test_three_megabytes_are_not_read() -> None:
    with StandIn(sequence(endless(3))) as server:
        reply = endpoint(server).complete(BODY)
    assert (reply.message, reply.finish_reason) == ({}, "too_long") and MOST_BYTES < 3_000_000
    assert reply.tokens_out >= MOST_BYTES // 8  # it was written, and charged for


def test_a_long_error_is_cut() -> None:
    assert len(str(fault_of(sequence(fail(500, "x" * 3_000_000))))) < 400


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_fault_holds_the_key(status: int) -> None:
    fault = fault_of(sequence(fail(status, "bad key, header was", echoes=True)))
    assert KEY not in str(fault) and "header was" in str(fault)
    chain = "".join(traceback.format_exception(fault))
    assert KEY not in chain and fault.__cause__ is None and fault.__context__ is None


def test_no_reply_holds_the_key() -> None:
    with StandIn(sequence(Said(message("your header: ***").content, echoes=True))) as server:
        assert KEY not in json.dumps(endpoint(server).complete(BODY).message)


def test_credentials_of_others_are_struck_out_too() -> None:
    shown = Endpoint("http://user:pass@127.0.0.1:1/v1", None, 1).redact
    assert shown("Authorization: Bearer abc.def, key sk-abcdefgh12") == "Authorization: ***, key ***"
    assert shown("http://user:pass@host/v1") == "http://***host/v1"


def test_a_key_read_with_its_line_end_is_used_without() -> None:
    with StandIn(sequence(answer({}))) as server:
        Endpoint(server.url, SecretStr(f"{KEY}\n"), 5).complete(BODY)
    assert len(server.requests) == 1


def test_the_key_of_the_process_environment_is_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with (
        StandIn(sequence(fail(401, "header was", echoes=True))) as server,
        pytest.raises(Fault, match=r"header was \*\*\*"),
    ):
        Endpoint(server.url, None, 5).complete(BODY)


def test_a_parameter_that_a_model_refuses_is_replaced_from_then_on() -> None:
    def script(body: dict[str, object]) -> Said:
        for name, code in (("max_tokens", "unsupported_parameter"), ("temperature", "unsupported_value")):
            if name in body:
                return fail(400, f"{name} is not supported", code=code, param=name)
        return answer({})

    with StandIn(script) as server:
        there = endpoint(server)
        for _ in range(2):
            there.complete(BODY)
        assert len(server.requests) == 4
        with ThreadPoolExecutor(4) as pool:  # each finds out for itself, and none fails since another did before
            list(pool.map(there.complete, [{**BODY, "model": "newer"}] * 4))
    assert server.requests[3] == {"model": "stand-in", "messages": BODY["messages"], "max_completion_tokens": 16}


def test_halves_of_surrogate_pairs_do_not_come_in() -> None:
    with StandIn(sequence(Said(message("a?").content.replace(b"a?", rb"a\ud83d")))) as server:
        assert endpoint(server).complete(BODY).message["content"] == "a?"


def test_models_are_listed() -> None:
    with StandIn(sequence(answer({}))) as server:
        assert [entry["id"] for entry in endpoint(server).models()] == ["stand-in"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": formatdate(1_000_060, usegmt=True)}, 60.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, 1_000_000.0) == seconds


def test_retry_after_is_read_from_the_response() -> None:
    assert fault_of(sequence(fail(429, Retry_After="7"))).retry_after_s == 7.0
    assert fault_of(sequence(fail(503))).retry_after_s is None
