"""The llm author from end to end: a whole environment by a model that behaves well, behind a real HTTP server."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from schemas.models import ROLES
from schemas.settings import LlmSettings
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import spool_of
from tasks.authors.llm.diagnostician.agent import diagnose
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.diagnose import PublishedRows
from tasks.world.session import World
from tests.flows.conftest import ROOT, Ended, Factory
from tests.flows.well_behaved import TOOL, WellBehaved
from tests.tasks.authors.llm.diagnostician.conftest import stored
from tests.tasks.authors.llm.stand_in import (
    Body,
    Said,
    StandIn,
    act,
    answer,
    cut_json,
    endless,
    fail,
    half_closed,
    hang,
    message,
)
from tests.tasks.proving_ground import build_ground
from warehouse.published import Published
from warehouse.store import Warehouse

KEY = "sk-secret-3f9c17a2"
ARGUMENTS = ("expand", "--author", "llm", "--themes", "music_store", "--tasks", "4", "--json")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WellBehaved]:
    with World() as world:
        yield WellBehaved(build_ground("music_store", tmp_path_factory.mktemp("records"), world))


def variables(at_server: dict[str, str], url: str) -> dict[str, str]:
    llm = {"BASE_URL": url, "MODEL": "stand-in", "API_KEY": KEY, "DRAFTS": "1", "RETRIES": "0"}
    solver = {"RUNS": "2", "CLOSED_BOOK_RUNS": "1"}
    named = {f"FACTORY_LLM__{name}": value for name, value in llm.items()}
    named |= {f"FACTORY_SOLVER__{name}": value for name, value in solver.items()}
    return {**at_server, **named, "FACTORY_WORKERS": "1"}


@dataclass(frozen=True)
class Written:
    """A home that a model wrote into, how the run ended, and the server that stood in for the endpoint."""

    home: Path
    ended: Ended
    server: StandIn
    env: dict[str, str]
    served: Counter[str]
    """What the run alone was served."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return Published(self.home).sql(sql).rows


@pytest.fixture(scope="module")
def written(
    model: WellBehaved, factory: Factory, at_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Written]:
    home = tmp_path_factory.mktemp("written") / "home"
    with StandIn(model) as server:
        env = variables(at_server, server.url)
        ended = factory(*ARGUMENTS, "--home", str(home), env=env)
        assert ended.code == 0, ended.err
        yield Written(home, ended, server, env, server.served.copy())


def test_what_a_model_wrote_passed_the_gates_and_says_so(written: Written) -> None:
    tools = dict(written.rows("select name, author from current_tools"))
    assert tools.pop(TOOL) == "llm" and set(tools.values()) == {"rules"} and len(tools) > 20
    tests = written.rows(f"select author, passed, count(*) from tool_tests where tool = '{TOOL}' group by all")
    assert [row[:2] for row in tests] == [("llm", True)] and tests[0][2] >= 4
    authors = dict(written.rows("select author, count(*) from current_tasks group by all"))
    assert authors["llm"] >= 2 and sum(authors.values()) == 4
    assert written.rows("select distinct assurance from current_tasks where author = 'llm'") == [("confirmed",)]
    assert written.rows("select distinct author from environments") == [("rules",)]


def test_what_a_model_wrote_has_a_rubric_that_its_judge_can_decide(written: Written) -> None:
    judged = """select t.author, count(distinct t.id), sum(c.points), count(*)
        from current_tasks as t join checks as c on c.task_id = t.id where c.kind = 'judge' group by all"""
    ((author, tasks, points, checks),) = written.rows(judged)
    assert (author, points) == ("llm", 100.0 * tasks) and checks >= 2 * tasks
    assert written.rows("select count(*) from current_tasks where author = 'llm'") == [(tasks,)]
    assert written.rows("select accepted, agreement from judge_calibrations") == [(True, 1.0)]
    stated = written.rows("select outcome, count(*) from contributions where kind = 'statement' group by all")
    assert stated == [("kept", checks)]


def test_every_request_is_a_row_and_every_role_is_counted(written: Written, factory: Factory) -> None:
    found = factory("llm", "stats", "--json", "--home", str(written.home), env=written.env).json["roles"]
    assert [row["role"] for row in found] == list(ROLES)
    by_role = {row["role"]: row for row in found}
    for role in ("coder", "tester", "writer", "solver", "judge"):
        assert by_role[role]["calls"] == by_role[role]["parsed"] > 0 and by_role[role]["kept"] > 0, by_role[role]
    assert sum(row["calls"] - row["cached"] for row in found) == len(written.server.requests)
    ((stored,),) = written.rows("select count(*) from model_calls where not cached")
    assert stored == len(written.server.requests)
    cost = factory("sql", "--named", "cost", "--json", "--home", str(written.home), env=written.env)
    assert cost.code == 0 and "music_store" in cost.out


def test_a_judge_is_calibrated_and_the_finding_stored(written: Written, factory: Factory) -> None:
    found = factory("llm", "calibrate", "--items", "20", "--json", "--home", str(written.home), env=written.env)
    assert found.code == 0, found.err
    assert found.json["items"] == 20 and found.json["yes_yes"] + found.json["no_no"] == 20, found.json
    stored = factory("sql", "--named", "judges", "--json", "--home", str(written.home), env=written.env)
    assert '"stand-in"' in stored.out


def test_documents_are_named_and_classed_by_a_model(written: Written, factory: Factory) -> None:
    given = {"FACTORY_AUTHORS__THEMES": "llm", "FACTORY_AUTHORS__TAXONOMY": "llm"}
    document = ROOT / "tests" / "documents" / "podcast_catalogue.json"
    ended = factory("discover", "tools", str(document), "--home", str(written.home), env=written.env | given)
    assert ended.code == 0, ended.err
    assert written.rows("select title from themes where kind = 'tools'") == [("Podcast episodes",)]
    assert written.rows("select count(*) from classes where author = 'llm'") == [(1,)]
    found = factory("llm", "stats", "--json", "--home", str(written.home), env=written.env).json["roles"]
    assert {row["role"]: row["kept"] for row in found if row["role"] in ("themes", "taxonomy")} == {
        "themes": 2,  # title and description
        "taxonomy": 1,
    }


def test_failures_are_diagnosed_by_a_model(written: Written, factory: Factory, tmp_path: Path) -> None:
    """On stored attempts of which some fail alike; what it claims is counted again."""
    warehouse = Warehouse(tmp_path)
    warehouse.merge(stored())
    warehouse.publish()
    llm = LlmSettings(base_url=written.server.url, model="stand-in", api_key=SecretStr(KEY))
    model = ModelClient(llm, spool_of(written.home), "diagnosis").role("diagnostician", "policy_1")
    found = diagnose(model, Evidence("policy_1", PublishedRows(Published(tmp_path))), turns=2)
    assert [(weak.environment_id, len(weak.causes)) for weak in found.weak] == [("env_late", 1), ("env_early", 0)]
    rows = factory("llm", "stats", "--json", "--home", str(written.home), env=written.env).json["roles"]
    (row,) = [row for row in rows if row["role"] == "diagnostician"]
    assert (row["calls"], row["parsed"], row["kept"]) == (1, 1, 1)


def test_one_role_alone_is_a_models(written: Written, factory: Factory) -> None:
    """A round that a model steers, over the environment that is there; all else of it is the rules'."""
    given = {"FACTORY_AUTHORS__RESEARCH": "llm"}
    arguments = ("expand", "--themes", "music_store", "--tasks", "1", "--rounds", "1", "--home", str(written.home))
    ended = factory(*arguments, env=written.env | given)
    assert ended.code == 0, ended.err
    assert written.rows("select author from environments where version = 2") == [("llm",)]
    assert set(written.rows("select distinct author from current_tools")) == {("rules",)}
    assert written.rows("select role, count(*) from contributions where kind = 'round' group by all") == [
        ("research", 1)
    ]


def test_a_rerun_asks_nothing(written: Written, factory: Factory) -> None:
    asked = len(written.server.requests)
    again = factory(*ARGUMENTS, "--home", str(written.home), env=written.env)
    assert again.code == 0 and again.json["run"]["built"] == 0
    assert len(written.server.requests) == asked


def test_refresh_asks_all_of_it_again(written: Written, factory: Factory) -> None:
    before = written.server.served.copy()
    again = factory(*ARGUMENTS, "--refresh", "--home", str(written.home), env=written.env)
    assert again.code == 0, again.err
    assert written.server.served - before == written.served
    sent = "select role, prompt_sha, count(*) from model_calls where not cached and role = 'coder' group by all"
    assert {count for _, _, count in written.rows(sent)} == {2}


def test_the_key_is_nowhere(written: Written) -> None:
    assert KEY not in written.ended.out + written.ended.err
    held = [path for path in written.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert held == []


def test_a_killed_run_repeats_no_paid_call(
    model: WellBehaved, written: Written, factory: Factory, at_server: dict[str, str], tmp_path: Path
) -> None:
    """Killed at two moments, in the work of the coder and of the solver, each time as the next request arrives."""
    moments, running = [2, 40], []

    def script(body: Body) -> Said:
        if moments and len(server.requests) >= moments[0]:
            moments.pop(0)
            running[0].send_signal(signal.SIGKILL)
            return hang()
        return model(body)

    with StandIn(script) as server:
        env = variables(at_server, server.url)
        while moments:
            left = len(moments)
            running[:] = [factory.start(*ARGUMENTS, "--home", str(tmp_path / "home"), env=env)]
            _, err = running[0].communicate(timeout=300)
            assert len(moments) == left - 1, err
        ended = factory(*ARGUMENTS, "--home", str(tmp_path / "home"), env=env)
        assert ended.code == 0, ended.err
        assert set(server.served.values()) == {1}
        assert server.served == written.served
    builders = "('coder', 'tester', 'writer', 'solver')"  # other roles worked in that home since
    same = f"select distinct role, prompt_sha from model_calls where not cached and role in {builders} order by all"
    assert Published(tmp_path / "home").sql(same).rows == written.rows(same)
    tasks = "select id, author, assurance from current_tasks order by id"
    assert Published(tmp_path / "home").sql(tasks).rows == written.rows(tasks)


def test_an_endpoint_that_breaks_in_every_way_costs_no_run(
    model: WellBehaved, factory: Factory, at_server: dict[str, str], tmp_path: Path
) -> None:
    """Every fourth request meets the next fault: what may pass is asked again, the rest is refused, and the rules stand."""
    faults = cycle(
        [
            lambda body: fail(429, Retry_After="0"),
            lambda body: fail(429),
            lambda body: fail(500),
            lambda body: half_closed(),
            lambda body: cut_json(),
            lambda body: message(None, refusal="I would rather not."),
            lambda body: message(""),
            lambda body: answer({"no": "such form"}),
            lambda body: act(body, "no_such_tool", {}),
            lambda body: endless(),
        ]
    )
    turn = count(1)

    def script(body: Body) -> Said:
        return next(faults)(body) if next(turn) % 4 == 0 else model(body)

    with StandIn(script) as server:
        env = variables(at_server, server.url) | {"FACTORY_LLM__RETRIES": "3"}
        ended = factory(*ARGUMENTS, "--home", str(tmp_path / "home"), env=env)
        assert ended.code == 0, ended.err
        assert set(server.served.values()) == {1}
        arrived = sum(server.served.values())
    published = Published(tmp_path / "home")
    assert published.sql("select count(*) from model_calls where not cached and outcome <> 'error'").rows == [
        (arrived,)
    ]
    assert published.sql("select count(*) from current_tasks").rows == [(4,)]
    assert published.sql("select count(*) from current_tools where author = 'rules'").rows[0][0] > 20


def test_a_spent_budget_ends_the_run_with_what_it_has(
    model: WellBehaved, factory: Factory, at_server: dict[str, str], tmp_path: Path
) -> None:
    with StandIn(model) as server:
        env = variables(at_server, server.url) | {"FACTORY_LLM__BUDGET__TOKENS": "40"}  # 18 a response
        ended = factory(*ARGUMENTS, "--home", str(tmp_path / "home"), env=env)
        assert ended.code == 0, ended.err
        assert len(server.requests) == 3
        assert "budget is spent" in ended.json["run"]["message"]
        authors = Published(tmp_path / "home").sql("select distinct author from current_tasks").rows
        assert authors == [("rules",)]
        more = env | {"FACTORY_LLM__BUDGET__TOKENS": "1000000"}
        assert factory(*ARGUMENTS, "--home", str(tmp_path / "home"), env=more).code == 0
        assert set(server.served.values()) == {1}
    authors = Published(tmp_path / "home").sql("select author, count(*) from current_tasks group by all").rows
    assert dict(authors)["llm"] >= 2


def test_a_dead_endpoint_is_one_line_and_the_next_command(
    factory: Factory, at_server: dict[str, str], find_port: Any, tmp_path: Path
) -> None:
    env = variables(at_server, f"http://127.0.0.1:{find_port()}/v1")
    ended = factory(*ARGUMENTS, "--home", str(tmp_path / "home"), env=env)
    assert ended.code == 2
    assert "factory doctor" in ended.err.splitlines()[-1] and "Traceback" not in ended.err


def test_an_endpoint_that_is_not_set_is_asked_for(factory: Factory, tmp_path: Path) -> None:
    ended = factory(*ARGUMENTS, "--home", str(tmp_path / "home"))
    assert (ended.code, ended.out) == (2, "")
    assert "FACTORY_LLM__BASE_URL and FACTORY_LLM__MODEL" in ended.err
