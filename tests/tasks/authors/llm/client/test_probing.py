"""What a probe finds, at endpoints that do all, some and nothing."""

from typing import Any

import pytest

from schemas.models import Mode
from tasks.authors.llm.client.door import Fault, Reply
from tasks.authors.llm.client.endpoint import Endpoint
from tasks.authors.llm.client.probing import probe
from tests.tasks.authors.llm.stand_in import StandIn, answer, native_call, sequence


@pytest.mark.parametrize("mode", ["native", "json_schema", "text"])
def test_the_mode_is_the_best_that_works(mode: Mode) -> None:
    with StandIn(sequence(answer({})), mode) as server:
        found = probe(Endpoint(server.url, None, 5), "stand-in")
    assert found.reachable and found.model_listed and found.mode == mode
    assert (found.tool_calls, found.json_schema) == (mode == "native", mode != "text")
    assert found.context_tokens == 8192 and found.latency_s is not None
    assert server.probes == (3 if mode == "native" else 2) and not server.requests


def test_nobody_there() -> None:
    with StandIn(sequence(answer({}))) as server:
        pass
    found = probe(Endpoint(server.url, None, 5), "stand-in")
    assert not found.reachable and found.mode is None and len(found.findings) == 1


class Door:
    """An endpoint that answers as told: `None` is a 400."""

    def __init__(
        self, listed: list[dict[str, Any]] | Fault, said: dict[str, Any] | None, plain: str | None = None
    ) -> None:
        self.listed, self.said, self.plain = listed, said, plain

    def models(self) -> list[dict[str, Any]]:
        if isinstance(self.listed, Fault):
            raise self.listed
        return self.listed

    def complete(self, body: dict[str, Any]) -> Reply:
        special = body.keys() & {"tools", "response_format"}
        said = self.said if special else ({"content": self.plain} if self.plain else None)
        if said is None:
            raise Fault("final", "400: unknown parameter", status=400)
        return Reply(said, "stop", 1, 1)


def test_a_model_that_is_not_listed_is_said_to_be() -> None:
    found = probe(Door([{"id": "other"}], {"content": "hm"}), "mine")
    assert found.model_listed is False and found.mode == "text" and "other" in found.findings[0]


def test_an_endpoint_without_a_list_may_answer_all_the_same() -> None:
    found = probe(Door(Fault("final", "404", status=404), {"content": "hm"}), "mine")
    assert found.reachable and found.model_listed is None and found.mode == "text"


def test_calls_that_come_only_when_asked_for_are_no_mode() -> None:
    class Obliging(Door):
        def complete(self, body: dict[str, Any]) -> Reply:
            if "tools" in body and "weather" in body["messages"][0]["content"]:
                return Reply({"tool_calls": [native_call("get_weather", {"city": "Oslo"})]}, "tool_calls", 1, 1)
            if "tools" in body:
                return Reply({"content": "Zebras have stripes."}, "stop", 1, 1)
            return Reply({"content": '{"tone": "qzx-7", "weight": 4111}'}, "stop", 1, 1)

    found = probe(Obliging([], None), "mine")
    assert (found.tool_calls, found.held_to_calls, found.json_schema, found.mode) == (True, False, True, "json_schema")


def test_parameters_that_are_refused_leave_plain_text() -> None:
    assert probe(Door([], None, plain="hello"), "mine").mode == "text"
    assert probe(Door([], None), "mine").mode is None


@pytest.mark.parametrize(
    "said",
    [
        {"tool_calls": [{"function": {"name": "get_weather", "arguments": "{"}}]},
        {"tool_calls": [{"function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}]},
        {"content": '{"name": "get_weather", "arguments": {"city": "Oslo"}}'},
        {"content": '{"tone": "calm", "weight": 300}'},
        {"content": '{"tone": "qzx-7", "weight": 4111, "more": 1}'},
        {},
    ],
)
def test_what_looks_like_it_is_not_enough(said: dict[str, Any]) -> None:
    found = probe(Door([], said), "mine")
    assert not found.tool_calls and not found.json_schema and found.mode == "text"


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        ({"max_model_len": 4096}, 4096),
        ({"meta": {"n_ctx_train": 32768}}, 32768),
        ({"meta": {"n_ctx_train": 32768, "n_ctx": 8192}}, 8192),
        ({"context_length": 131072}, 131072),
        ({"meta": None, "max_model_len": "long"}, None),
        ({}, None),
    ],
)
def test_the_context_is_what_the_list_states(entry: dict[str, Any], tokens: int | None) -> None:
    assert probe(Door([{"id": "mine", **entry}], {"content": ""}), "mine").context_tokens == tokens
