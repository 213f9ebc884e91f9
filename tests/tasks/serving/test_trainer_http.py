"""Trainers over HTTP: verdicts, isolation, many sessions at once, limits, and what never leaves the server."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from schemas.tasks import AgentTask, GoldRun
from tasks.serving.episodes import Declined, ServingLimits
from tasks.serving.trainer_http import ROUTES, TrainerServer, is_loopback
from tests.tasks.serving.conftest import Client, Served

ORDER = {"tool": "create_purchase_order", "arguments": {"album_id": 200, "quantity": 3}}


def attempt(client: Client, task: AgentTask, gold: GoldRun) -> dict[str, Any]:
    """Do a task as its gold run did; the verdict."""
    session = client.post("/v1/reset", task_id=task.id)["session_id"]
    for step in gold.steps:
        reply = client.post("/v1/call", session_id=session, tool=step.tool, arguments=step.arguments)
        assert reply["result"] == step.observation
    assert client.post("/v1/state", session_id=session)["state_id"] == gold.state_id
    verdict: dict[str, Any] = client.post("/v1/verify", session_id=session, answer=gold.answer)
    client.post("/v1/close", session_id=session)
    return verdict


def test_gold_calls_pass(client: Client, served: Served) -> None:
    for task, gold in served.pairs:
        verdict = attempt(client, task, gold)
        assert (verdict["outcome"], verdict["reward"]) == ("pass", 1.0)
        assert {result["check_id"] for result in verdict["results"]} == {check.id for check in task.checks}


def test_nothing_done_fails_with_the_checks_named(client: Client, served: Served) -> None:
    task, gold = served.writing
    session = client.post("/v1/reset", task_id=task.id)["session_id"]
    verdict = client.post("/v1/verify", session_id=session, answer=None)
    assert (verdict["outcome"], verdict["reward"]) == ("fail", 0.0)
    right = client.post("/v1/verify", session_id=session, answer=gold.answer)
    assert [result["check_id"] for result in right["results"] if not result["passed"]] == ["state_change"]


def test_what_answers_a_task_never_leaves_the_server(client: Client, served: Served) -> None:
    task, gold = served.writing
    shown = client.get("/v1/tasks")["tasks"]
    client.get("/v1/environments")
    client.post("/reset", task_id=task.id)
    session = client.post("/v1/reset", task_id=task.id)["session_id"]
    client.post("/v1/state", session_id=session)
    client.post("/v1/verify", session_id=session, answer=dict.fromkeys(gold.answer, "?"))
    assert all(row.keys() == {"task_id", "environment_id", "request", "answer_fields"} for row in shown)
    heard, verdict = "\n".join(client.heard), client.heard[-1]
    for secret in ("checks", "spec", "expected", "solution", "program", "expected_answer", "intent", "tolerance"):
        assert f'"{secret}"' not in heard
    hidden = [str(value) for value in gold.answer.values() if len(str(value)) > 2 and str(value) not in task.request]
    assert hidden and not [value for value in hidden if re.search(rf"\b{re.escape(value)}\b", verdict)]


def test_sessions_start_alike_and_do_not_see_each_other(client: Client, served: Served) -> None:
    first, second = (client.post("/v1/reset", task_id=served.writing[0].id)["session_id"] for _ in range(2))
    order = client.post("/v1/call", session_id=first, **ORDER)["result"]
    assert client.post("/v1/state", session_id=second)["diff"] == {}
    assert client.post("/v1/call", session_id=second, **ORDER)["result"] == order
    changed = client.post("/v1/state", session_id=first)
    assert changed["diff"]["purchase_orders"]["inserted"] == [order]
    assert changed["state_id"] == client.post("/v1/state", session_id=second)["state_id"]


def test_a_session_is_reset_under_its_id(client: Client, served: Served) -> None:
    session = client.post("/v1/reset", task_id=served.writing[0].id)["session_id"]
    client.post("/v1/call", session_id=session, **ORDER)
    again = client.post("/v1/reset", session_id=session)
    assert (again["session_id"], again["task"]["task_id"]) == (session, served.writing[0].id)
    state = client.post("/v1/state", session_id=session)
    assert (state["diff"], state["calls"]) == ({}, 0)


def test_free_play_by_name_has_no_verdict(client: Client) -> None:
    opened = client.post("/v1/reset", environment="music_store", seed=7)
    assert opened["task"] is None and len(opened["tools"]) > 20
    assert client.code("/v1/verify", session_id=opened["session_id"], answer={}) == (409, "no_task")


def test_a_hundred_sessions_at_once(start: Callable[..., TrainerServer], served: Served) -> None:
    server, task = start(), served.writing[0]
    gate = threading.Barrier(100)

    def roll_out(number: int) -> tuple[str, int]:
        client = Client(server)
        session = client.post("/v1/reset", task_id=task.id)["session_id"]
        gate.wait(60)
        held = client.get("/health")["sessions"]
        arguments = {"album_id": 200, "quantity": 1 + number % 2}
        client.post("/v1/call", session_id=session, tool="create_purchase_order", arguments=arguments)
        state = client.post("/v1/state", session_id=session)["state_id"]
        gate.wait(60)
        client.post("/v1/close", session_id=session)
        return state, held

    with ThreadPoolExecutor(100) as pool:
        ended = list(pool.map(roll_out, range(100)))
    assert {held for _, held in ended} == {100}
    assert len({state for state, _ in ended[::2]}) == len({state for state, _ in ended[1::2]}) == 1
    assert ended[0] != ended[1] and len(server.episodes) == 0


def test_an_idle_session_ends(start: Callable[..., TrainerServer], served: Served) -> None:
    client = Client(start(ServingLimits(idle_s=0.4)))
    session = client.post("/v1/reset", task_id=served.writing[0].id)["session_id"]
    for _ in range(4):  # a used one lives on
        time.sleep(0.2)
        client.post("/v1/call", session_id=session, **ORDER)
    deadline = time.monotonic() + 10
    while client.get("/health")["sessions"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert client.code("/v1/call", session_id=session, **ORDER) == (404, "unknown_session")


def test_no_more_sessions_than_the_cap(start: Callable[..., TrainerServer], served: Served) -> None:
    client, task_id = Client(start(ServingLimits(most_sessions=2))), served.writing[0].id
    first, _ = (client.post("/v1/reset", task_id=task_id)["session_id"] for _ in range(2))
    assert client.code("/v1/reset", task_id=task_id) == (503, "too_many_sessions")
    client.post("/v1/close", session_id=first)
    client.post("/v1/reset", task_id=task_id)


def test_an_oversize_request_is_refused_and_the_server_goes_on(start: Callable[..., TrainerServer]) -> None:
    server = start(ServingLimits(request_kb=4))
    status, reply = Client(server).send("POST", "/v1/reset", b" " * 5000)
    assert (status, reply["error"]["code"]) == (413, "request_too_large")
    assert Client(server).get("/health")["status"] == "healthy"


def test_a_token_is_asked_for(start: Callable[..., TrainerServer]) -> None:
    server = start(token="right")
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "right"}):
        assert Client(server, headers).code("/v1/reset", environment="music_store") == (401, "unauthorized")
    Client(server, {"Authorization": "Bearer right"}).post("/v1/reset", environment="music_store")


def test_beyond_loopback_only_with_a_token(served: Served) -> None:
    episodes = served.episodes()
    with pytest.raises(ValueError, match="token"):
        TrainerServer(episodes, "0.0.0.0")
    episodes.close_all()
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")] == [
        *[True] * 3,
        *[False] * 2,
    ]


def test_a_page_under_another_name_is_refused(client: Client) -> None:
    """A browser that was told that evil.example is 127.0.0.1."""
    status, reply = client.send("GET", "/v1/tasks", b"", Host="evil.example")
    assert (status, reply["error"]["code"]) == (403, "wrong_host")


@pytest.mark.parametrize(
    ("method", "path", "raw", "headers", "expected"),
    [
        ("POST", "/v1/reset", b"{", {}, (400, "not_json")),
        ("POST", "/v1/reset", b"[" * 100_000, {}, (400, "not_json")),
        ("POST", "/v1/reset", b"[]", {}, (400, "invalid_request")),
        ("POST", "/v1/reset", b"{}", {"Content-Type": "text/plain"}, (415, "not_json")),
        ("POST", "/v1/reset", b"{}", {}, (400, "nothing_named")),
        ("POST", "/v1/reset", b'{"task_id": ["a"]}', {}, (400, "invalid_request")),
        ("POST", "/v1/reset", b'{"task_id": "task_0"}', {}, (404, "unknown_task")),
        ("POST", "/v1/reset", b'{"environment": "x"}', {}, (404, "unknown_environment")),
        ("POST", "/v1/reset", b'{"session_id": "x"}', {}, (404, "unknown_session")),
        ("POST", "/v1/call", b'{"session_id": "x", "tool": "y"}', {}, (404, "unknown_session")),
        ("POST", "/v1/call", b'{"session_id": "x", "tool": "y", "arguments": []}', {}, (400, "invalid_request")),
        ("POST", "/v1/call", b'{"session_id": "x"}', {}, (400, "invalid_request")),
        ("POST", "/v1/verify", b'{"session_id": "x"}', {}, (400, "invalid_request")),
        ("POST", "/v1/close", b'{"session_id": "x"}', {}, (404, "unknown_session")),
        ("GET", "/v1/call", b"", {}, (405, "wrong_method")),
        ("PUT", "/v1/call", b"{}", {}, (405, "wrong_method")),
        ("GET", "/v2", b"", {}, (404, "unknown_route")),
        ("GET", "/v1/tasks", b"", {"Host": "["}, (400, "invalid_request")),
        ("POST", "/step", b"{}", {}, (422, "invalid_request")),
    ],
)
def test_a_bad_request_has_a_status_and_a_code(
    method: str, path: str, raw: bytes, headers: dict[str, str], expected: tuple[int, str], client: Client
) -> None:
    status, reply = client.send(method, path, raw, **headers)
    assert (status, reply["error"]["code"]) == expected
    assert client.get("/health")["sessions"] == 0  # on the same connection


def test_a_refused_call_is_data(client: Client) -> None:
    session = client.post("/v1/reset", environment="music_store")["session_id"]
    for tool, arguments, code in (("nothing", {}, "unknown_tool"), ("get_album", {}, "invalid_argument")):
        reply = client.post("/v1/call", session_id=session, tool=tool, arguments=arguments)
        assert reply["result"]["error"]["code"] == code


def test_a_bug_ends_one_request(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> dict[str, Any]:
        raise RuntimeError("secret")

    monkeypatch.setitem(ROUTES, ("GET", "/v1/tasks"), fail)
    status, reply = client.send("GET", "/v1/tasks", b"")
    assert (status, reply["error"]["code"]) == (500, "internal") and "secret" not in str(reply)
    client.get("/v1/environments")


def test_a_broken_world_is_an_error_and_no_reward(served: Served) -> None:
    task, gold = served.writing
    episodes = served.episodes()
    episode = episodes.open(task.id)
    episode.session._workspace.database.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    verdict = episode.verify(gold.answer)
    assert (verdict["outcome"], verdict["reward"]) == ("error", None)
    with pytest.raises(Declined) as declined:
        episode.state()
    assert declined.value.code == "state_unreadable"
    episodes.close_all()


def test_nothing_opens_after_the_end(served: Served) -> None:
    episodes = served.episodes()
    session = episodes.open(None, "music_store").session
    episodes.close_all()
    assert session.call("get_album", {"album_id": 1})["error"]["code"] == "worker_died"
    with pytest.raises(Declined, match="stopping"):
        episodes.open(None, "music_store")
