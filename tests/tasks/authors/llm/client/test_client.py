"""The client against a server that breaks: each fault is survived, nothing is lost, sent twice or counted twice."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from schemas.models import Contribution, Mode, ModelCall
from schemas.settings import LlmSettings, ModelBudget
from tasks.authors.llm.client import retries
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.model import BudgetSpent, Message, ModelUnavailable, ToolSpec, Unusable
from tests.tasks.authors.llm.stand_in import (
    Body,
    Said,
    Script,
    StandIn,
    act,
    answer,
    cut_json,
    endless,
    fail,
    half_closed,
    hang,
    message,
    native_call,
    sequence,
    slowly,
)

MODES: tuple[Mode, ...] = ("native", "json_schema", "text")
KEY = "key-of-the-stand-in-4711"
FIND = ToolSpec("find_city", "Find a city.", {"type": "object", "properties": {"name": {"type": "string"}}})
TALK = [Message("system", "You look things up."), Message("user", "How many cities?")]


class Total(BaseModel):
    total: int


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(retries, "LONGEST_ASKED_S", 0.01)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "models.sqlite")


def client(server: StandIn | str, spool: Spool, mode: Any = "native", run_id: str = "run", **more: Any) -> ModelClient:
    refresh = more.pop("refresh", False)
    url = server if isinstance(server, str) else server.url
    llm = LlmSettings(base_url=url, api_key=SecretStr(KEY), model="stand-in", mode=mode, **{"timeout_s": 5, **more})
    return ModelClient(llm, spool, run_id, refresh=refresh)


def ask(models: ModelClient, text: str = "How many cities?", attempt: int = 0) -> Total:
    return models.role("judge", "theme").ask([Message("user", text)], Total, attempt=attempt)


def calls(spool: Spool) -> list[ModelCall]:
    return list(spool.undrained(100).calls)


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_and_its_row(mode: Mode, spool: Spool) -> None:
    with StandIn(sequence(answer({"total": 3})), mode) as server:
        assert ask(client(server, spool, mode)) == Total(total=3)
    (call,) = calls(spool)
    assert (call.role, call.subject, call.model, call.mode, call.run_id) == ("judge", "theme", "stand-in", mode, "run")
    assert (call.outcome, call.attempts, call.cached, call.tokens_in, call.tokens_out) == ("parsed", 1, False, 11, 7)
    assert call.request == server.requests[0] and call.response
    assert json.loads(json.loads(call.response)["content"]) == {"total": 3}


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation_in_each_mode(mode: Mode, spool: Spool) -> None:
    def script(body: Body) -> Said:
        if "3 rows" in json.dumps(body["messages"]):
            return act(body, "finish", {"total": 3})
        return act(body, "find_city", {"name": "Oslo"})

    with StandIn(script, mode) as server:
        model = client(server, spool, "probe").role("solver", "theme")
        first = model.act(TALK, [FIND], Total)
        result = Message("tool", "3 rows", answers=first.uses[0].id)
        second = model.act([*TALK, first.message, result], [FIND], Total)
    assert (first.uses[0].tool, first.uses[0].arguments, first.finish) == ("find_city", {"name": "Oslo"}, None)
    assert second.finish == Total(total=3) and second.uses == ()
    assert [call.mode for call in calls(spool)] == [mode, mode] and server.probes == (3 if mode == "native" else 2)


GOOD = answer({"total": 3})
SURVIVED: dict[str, tuple[list[Said], int]] = {
    "429 that says when": ([fail(429, Retry_After="0"), GOOD], 2),
    "429 that does not": ([fail(429), GOOD], 2),
    "500": ([fail(500), fail(502), GOOD], 3),
    "half-closed stream": ([half_closed(), GOOD], 2),
    "cut body": ([cut_json(), GOOD], 2),
    "hang": ([hang(), GOOD], 2),
    "slow": ([slowly(GOOD, 0.1)], 1),
}


@pytest.mark.parametrize(("said", "attempts"), SURVIVED.values(), ids=SURVIVED)
def test_faults_that_pass_are_one_call(said: list[Said], attempts: int, spool: Spool) -> None:
    with StandIn(sequence(*said)) as server:
        assert ask(client(server, spool, timeout_s=0.5)) == Total(total=3)
        assert ask(client(server, spool, run_id="later")) == Total(total=3)
    paid, again = calls(spool)
    assert (paid.attempts, paid.tokens_in, paid.cached) == (attempts, 11, False)
    assert (again.attempts, again.tokens_in, again.cached, again.cost) == (0, 0, True, 0.0)
    assert len(server.requests) == attempts and set(server.served.values()) == {1}


REPAIRED: dict[str, tuple[Callable[[Body], Said], str]] = {
    "empty content": (lambda body: message(""), "empty"),
    "cut off by its limit": (lambda body: message('{"thought": "", "tool": "find_ci', "length"), "truncated"),
    "prose": (lambda body: message("I would look for cities."), "no_json"),
    "broken JSON": (lambda body: message('{"tool": find_city}'), "broken_json"),
    "a tool that does not exist": (lambda body: act(body, "drop_city", {}), "unknown_tool"),
    "a wrong schema": (lambda body: act(body, "finish", {"total": "many"}), "wrong_schema"),
    "arguments that are no object": (lambda body: act(body, "find_city", "[1]"), "wrong_schema"),
    "two objects": (
        lambda body: message('{"tool": "a", "arguments": {}} {"tool": "b", "arguments": {}}'),
        "two_objects",
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("bad", "reason"), REPAIRED.values(), ids=REPAIRED)
def test_a_response_that_is_refused_gets_one_repair_turn(
    bad: Callable[[Body], Said], reason: str, mode: Mode, spool: Spool
) -> None:
    def script(body: Body) -> Said:
        repairing = "cannot be used" in body["messages"][-1]["content"]
        return act(body, "find_city", {"name": "Oslo"}) if repairing else bad(body)

    with StandIn(script, mode) as server:
        for _ in range(2):
            turn = client(server, spool, mode).role("solver", "theme").act(TALK, [FIND], Total)
            assert turn.uses[0].arguments == {"name": "Oslo"}
    assert [(call.outcome, call.reason, call.cached) for call in calls(spool)] == [
        ("refused", reason, False),
        ("parsed", "", False),
        ("refused", reason, True),
        ("parsed", "", True),
    ]
    assert len(server.requests) == 2 and reason in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("mode", MODES)
def test_a_second_bad_response_is_unusable(mode: Mode, spool: Spool) -> None:
    with StandIn(sequence(message("No idea.")), mode) as server, pytest.raises(Unusable) as caught:
        ask(client(server, spool, mode))
    assert caught.value.reason == "no_json" and len(server.requests) == 2


@pytest.mark.parametrize(
    ("said", "reason"),
    [(message(None, refusal="I will not."), "refusal"), (endless(3), "too_long")],
    ids=["refusal", "3 MB"],
)
def test_what_cannot_be_repaired_is_not_asked_again(said: Said, reason: str, spool: Spool) -> None:
    with StandIn(sequence(said)) as server:
        for _ in range(2):
            with pytest.raises(Unusable) as caught:
                ask(client(server, spool))
            assert caught.value.reason == reason
    assert len(server.requests) == 1
    assert [(call.outcome, call.reason, call.cached) for call in calls(spool)] == [
        ("refused", reason, False),
        ("refused", reason, True),
    ]


def test_double_ids_and_arguments_as_a_string(spool: Spool) -> None:
    same = [native_call("find_city", {"name": name}, "call_0") for name in ("Oslo", "Rome")]
    with StandIn(sequence(message(None, "tool_calls", tool_calls=same))) as server:
        turn = client(server, spool).role("solver", "theme").act(TALK, [FIND], Total)
    assert [(use.id, use.arguments["name"]) for use in turn.uses] == [("call-1", "Oslo"), ("call-2", "Rome")]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_request_that_is_refused_is_not_sent_again(status: int, spool: Spool) -> None:
    script = sequence(fail(status, "no, header was", echoes=True))
    with StandIn(script) as server, pytest.raises(ModelUnavailable, match="factory doctor") as caught:
        ask(client(server, spool))
    (call,) = calls(spool)
    assert (call.outcome, call.response, call.attempts, call.tokens_in) == ("error", None, 1, 0)
    assert len(server.requests) == 1 and KEY not in str(caught.value) + call.model_dump_json()


def test_a_conversation_that_is_longer_than_the_context_is_unusable(spool: Spool) -> None:
    with (
        StandIn(sequence(fail(400, "maximum context length is 8192 tokens"))) as server,
        pytest.raises(Unusable) as caught,
    ):
        ask(client(server, spool))
    assert caught.value.reason == "too_long" and calls(spool)[0].outcome == "error"


def test_a_dead_endpoint_is_given_up_and_then_left_alone(spool: Spool) -> None:
    with StandIn(sequence(fail(500))) as server:
        models = client(server, spool, retries=4)
        for _ in range(4):
            with pytest.raises(ModelUnavailable):
                ask(models)
    assert len(server.requests) == 8
    assert [call.attempts for call in calls(spool)] == [5, 3, 0, 0]


def test_equal_requests_are_sent_once_and_other_attempts_are_others(spool: Spool) -> None:
    with StandIn(sequence(slowly(GOOD, 0.05))) as server:
        models = client(server, spool, concurrency=8)
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda n: ask(models), range(8))) == [Total(total=3)] * 8
        assert len(server.requests) == 1
        ask(models, attempt=1)
        ask(models, attempt=2)
    assert [body.get("seed") for body in server.requests] == [None, 1, 2]
    assert [call.cached for call in calls(spool)].count(False) == 3 and len(calls(spool)) == 10


def test_refresh_asks_once_more_a_run(spool: Spool) -> None:
    def numbered() -> Script:
        return sequence(*(answer({"total": n}) for n in range(1, 9)))

    with StandIn(numbered()) as server:
        assert ask(client(server, spool)).total == 1
        models = client(server, spool, run_id="second", refresh=True)
        assert [ask(models).total, ask(models).total] == [2, 2]
        assert ask(client(server, spool, run_id="third")).total == 2
    assert [call.cached for call in calls(spool)] == [False, False, True, True]


def test_a_killed_run_repeats_no_paid_call_and_counts_it(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    with StandIn(sequence(GOOD)) as server:
        with monkeypatch.context() as patch:
            patch.setattr(Spool, "record", lambda self, call: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                ask(client(server, spool))
        assert calls(spool) == []
        for run_id in ("resumed", "again"):
            assert ask(client(server, spool, run_id=run_id)) == Total(total=3)
    assert len(server.requests) == 1
    assert [(call.cached, call.tokens_in, call.attempts) for call in calls(spool)] == [(False, 11, 1), (True, 0, 0)]


def test_a_budget_stops_what_is_sent_but_not_what_is_kept(spool: Spool) -> None:
    with StandIn(sequence(GOOD)) as server:
        models = client(server, spool, budget=ModelBudget(tokens=18))
        ask(models)
        with pytest.raises(BudgetSpent):
            ask(models, "Another question?")
        assert ask(models) == Total(total=3)
    assert len(server.requests) == 1


def test_a_probe_is_kept_so_that_a_rerun_asks_equal_things(spool: Spool) -> None:
    with StandIn(sequence(GOOD), "json_schema") as server:
        for run_id in ("first", "second"):
            models = client(server, spool, "probe", run_id=run_id)
            ask(models)
            assert models.context_tokens == 8192
    assert (server.probes, len(server.requests)) == (2, 1)


def test_settings_that_lack_something_are_named(spool: Spool) -> None:
    for llm, name in [
        (LlmSettings(), "FACTORY_LLM__BASE_URL"),
        (LlmSettings(base_url="http://127.0.0.1:1/v1"), "FACTORY_LLM__MODEL"),
    ]:
        with pytest.raises(ModelUnavailable, match=f"{name}.*factory doctor"):
            ModelClient(llm, spool, "run").role("coder", "theme")


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "http://h:x/", "http://[", "ftp://h/v1"])
def test_what_is_no_address_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        LlmSettings(base_url=url)


def test_a_role_may_have_a_model_of_its_own(spool: Spool) -> None:
    with StandIn(sequence(GOOD)) as server:
        models = client(server, spool, models={"judge": "strict"})
        assert (models.role("judge", "t").name, models.role("coder", "t").name) == ("strict", "stand-in")
        ask(models)
    assert server.requests[0]["model"] == "strict"


def test_what_was_decided_is_kept(spool: Spool) -> None:
    decided = Contribution(role="coder", subject="theme", kind="tool", name="find", outcome="refused", gate="tests")
    client("http://127.0.0.1:1/v1", spool).role("coder", "theme").report(decided)
    assert [(run, item) for _, run, item in spool.undrained(10).contributions] == [("run", decided)]


def test_no_byte_of_the_spool_holds_the_key(spool: Spool, tmp_path: Path) -> None:
    echoing = [
        fail(500, "header was", echoes=True),
        Said(message('{"total": 3, "header": "***"}').content, echoes=True),
    ]
    with StandIn(sequence(*echoing)) as server:
        ask(client(server, spool))
    files = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert files and not any(KEY.encode() in content for content in files)


CHILD = """
import sys
from pathlib import Path
from tests.tasks.authors.llm.client.test_client import Spool, ask, client
models = client(sys.argv[1], Spool(Path(sys.argv[2])), run_id=sys.argv[3], timeout_s=60)
for question in ("first?", "second?", "third?"):
    print(ask(models, question).total, flush=True)
"""


def test_a_run_that_is_killed_while_it_waits_loses_nothing_that_arrived(spool: Spool) -> None:
    begun = threading.Event()

    def script(body: Body) -> Said:
        if not begun.is_set() and "third?" in json.dumps(body["messages"]):
            begun.set()
            return hang()
        return GOOD

    with StandIn(script) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(spool.path)]
        with subprocess.Popen([*command, "killed"], stdout=subprocess.DEVNULL) as child:
            assert begun.wait(60)
            child.kill()
        done = subprocess.run([*command, "resumed"], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["3", "3", "3"], done.stderr
    assert [server.count(f"{nth}?") for nth in ("first", "second", "third")] == [1, 1, 2]
    assert set(server.served.values()) == {1} and len(server.served) == 3
    assert [(call.run_id, call.cached) for call in calls(spool)] == [
        *[("killed", False)] * 2,
        *[("resumed", True)] * 2,
        ("resumed", False),
    ]
