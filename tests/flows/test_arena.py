"""The arena on a real server: a round, several policies, a diagnosis, and kill -9 in the middle.

Three families of one class: one sits in the arena, one in the holdout, one stays open.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli import app
from schemas.errors import UsageError
from tests.flows.conftest import Ended, Factory
from tests.tasks.authors.llm.stand_in import Body, Said, StandIn, act
from warehouse.published import Published

THEMES = ("music_store", "baseball", "seattle_weather")
CLASS = "Media & Entertainment"
KEY = "sk-policy-5b1e77d0"
IMPAIRED, CAUSE = "impaired:stopped_early=1", "stopped_early"
FINISHED = "select id, policy_id, task_id, attempt, run_id from rollouts"


@dataclass(frozen=True)
class Arena:
    """A home with three families in one class, and how commands are run on it."""

    home: Path
    factory: Factory
    env: dict[str, str]

    def __call__(self, *arguments: str, **env: str) -> Ended:
        return self.factory(*arguments, "--home", str(self.home), env=self.env | env)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return Published(self.home).sql(sql).rows

    def spooled(self) -> set[tuple[Any, ...]]:
        """What the spool knows of attempts that are finished."""
        file = self.home / "spool" / "models.sqlite"
        if not file.exists():
            return set()
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
            return set(connection.execute(FINISHED))


@pytest.fixture(scope="module")
def arena(factory: Factory, at_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Arena:
    settings = {"TASKS_PER_ENVIRONMENT": "2", "CONTROL_ATTEMPTS": "2"}
    env = at_server | {f"FACTORY_ARENA__{name}": value for name, value in settings.items()}
    arena = Arena(tmp_path_factory.mktemp("arena") / "home", factory, env)
    built = arena("expand", "--themes", ",".join(THEMES), "--tasks", "1")
    assert built.code == 0, built.err
    for theme in THEMES:
        assert arena("taxonomy", "set", theme, CLASS).code == 0
    return arena


@pytest.fixture(scope="module")
def endpoint() -> Iterator[StandIn]:
    """A served model that answers at once, with nothing in it."""

    def script(body: Body) -> Said:
        finish = next(tool["function"] for tool in body["tools"] if tool["function"]["name"].startswith("finish"))
        return act(body, finish["name"], dict.fromkeys(finish["parameters"]["properties"]), "I give up.")

    with StandIn(script) as server:
        yield server


@pytest.fixture(scope="module")
def first(arena: Arena) -> Ended:
    """Round 1, opened by the perfect policy."""
    ended = arena("evaluate", "--policy", "perfect", "--fresh", "--attempts", "2", "--json")
    assert ended.code == 0, ended.err
    return ended


@pytest.fixture(scope="module")
def impaired(arena: Arena, first: Ended) -> Ended:
    """Another policy in the same round."""
    ended = arena("evaluate", "--policy", IMPAIRED, "--json")
    assert ended.code == 0, ended.err
    return ended


def test_the_perfect_policy_passes_both_pools(arena: Arena, first: Ended) -> None:
    found = first.json
    assert (found["round"], found["tasks"], found["attempts"], found["errors"]) == (1, 2, 4, 0)
    assert found["pass_at_1"] == 1.0 and found["pass_k"] == {"1": 1.0, "2": 1.0} == found["pass_at_k"]
    low, high = found["intervals"]["pass_at_1"]
    assert 0 < low < high == 1
    assert [each["class"] for each in found["classes"]] == [CLASS]
    assert (found["holdout"]["tasks"], found["holdout"]["pass_at_1"]) == (2, 1.0)


def test_each_family_has_one_role_and_its_fresh_tasks_are_for_no_training(arena: Arena, first: Ended) -> None:
    assert arena.rows("select role, count(*) from family_roles group by all order by all") == [
        ("arena", 1),
        ("holdout", 1),
    ]
    assert arena.rows(
        "select pool, round, count(*) from task_pools where pool <> 'training' group by all order by all"
    ) == [
        ("arena", 1, 2),
        ("holdout", 1, 2),
    ]
    fresh = "(select task_id from task_pools where pool <> 'training')"
    assert arena.rows(f"select count(*) from current_tasks where id in {fresh}") == [(0,)]
    assert arena.rows("select count(*) from current_tasks") == [(3,)], "the tasks of expand stand as they did"


def test_every_attempt_is_stored_with_its_steps_and_verdict(arena: Arena, first: Ended) -> None:
    policy = first.json["policy_id"]
    assert arena.rows(f"select name, kind from policies where id = '{policy}'") == [("perfect", "scripted")]
    calls = arena.rows(
        "select count(distinct rollouts.id), sum(calls) from rollouts join verdicts on verdicts.rollout_id = rollouts.id "
        f"where policy_id = '{policy}' and outcome = 'pass'"
    )
    steps = arena.rows(
        f"select count(*) from rollout_steps where kind = 'call' and rollout_id in (select id from rollouts where policy_id = '{policy}')"
    )
    assert calls[0][0] == 8 and calls[0][1] == steps[0][0] > 8 * 7
    control = arena.rows(
        "select count(*) from rollouts join policies on policies.id = policy_id where name = 'noisy:0.15'"
    )
    assert control == [(4,)], "two attempts at each arena task, none in the holdout"


def test_a_rerun_makes_no_attempt_again(arena: Arena, first: Ended) -> None:
    before = arena.rows("select id, run_id, finished_at from rollouts order by id")
    again = arena("evaluate", "--policy", "perfect", "--attempts", "2", "--json")
    assert again.code == 0, again.err
    assert {**again.json, "run": None} == {**first.json, "run": None}
    assert arena.rows("select id, run_id, finished_at from rollouts order by id") == before
    assert not any(name.startswith("synthesize") for name in again.states)


def test_another_policy_is_given_the_same_tasks_and_diagnosed(arena: Arena, impaired: Ended, endpoint: StandIn) -> None:
    """By a model too: with one environment there is none that is weaker than the others, so it is asked nothing."""
    assert (impaired.json["round"], impaired.json["tasks"]) == (1, 2)
    assert impaired.json["pass_at_1"] < 1
    tasks = "select count(distinct task_id) from rollouts join task_pools using (task_id) where pool = 'arena'"
    assert arena.rows(tasks) == [(2,)]
    model = {"FACTORY_LLM__BASE_URL": endpoint.url, "FACTORY_LLM__MODEL": "m", "FACTORY_AUTHORS__DIAGNOSTICIAN": "llm"}
    found = arena("diagnose", "--policy", IMPAIRED, "--json", **model)
    assert found.code == 0, found.err
    assert found.json["failures"] == impaired.json["tasks"] - round(impaired.json["pass_at_1"] * 2)
    assert [cause["what"] for cause in found.json["causes"]] == [CAUSE]
    assert [row[0] for row in arena.rows("select distinct cause from failures")] == [CAUSE]


def test_two_policies_side_by_side(arena: Arena, impaired: Ended) -> None:
    found = CliRunner().invoke(app, ["compare", "perfect", IMPAIRED, "--json", "--home", str(arena.home)])
    assert found.exit_code == 0, found.output
    rows = {(row["by"], row["group"]): row for row in json.loads(found.stdout)["rows"]}
    overall = rows["all", "all"]
    assert overall["one"]["rate"] == 1.0 and overall["other"]["rate"] == impaired.json["pass_at_1"]
    assert overall["difference"]["difference"] == pytest.approx(impaired.json["pass_at_1"] - 1)
    assert {by for by, _ in rows} == {"all", "level1", "level", "kind", "tool", "cause"}
    assert rows["cause", CAUSE]["difference"]["difference"] == 1 - impaired.json["pass_at_1"]
    arguments = ["compare", "perfect", IMPAIRED, "--round", "1", "--home", str(arena.home)]
    assert "perfect, round 1" in CliRunner().invoke(app, arguments).output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("evaluate", "--policy", "submarine"), "perfect"),
        (("evaluate", "--policy", "perfect", "--round", "1", "--fresh"), "factory evaluate --fresh"),
        (("evaluate", "--policy", "endpoint"), "FACTORY_POLICY__BASE_URL and FACTORY_POLICY__MODEL"),
        (("compare", "perfect", "random"), "factory evaluate --policy random"),
        (("compare", "perfect", "perfect", "--round", "1,2,3"), "--round 1,2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_users_mistake_is_told_before_anything_runs(
    arena: Arena, first: Ended, arguments: tuple[str, ...], says: str
) -> None:
    ended = CliRunner().invoke(app, [*arguments, "--home", str(arena.home)])
    assert isinstance(ended.exception, UsageError) and says in str(ended.exception)


def test_nobody_is_diagnosed_without_attempts(arena: Arena, first: Ended) -> None:
    ended = arena("diagnose", "--policy", "random")
    assert ended.code == 2 and "Traceback" not in ended.err
    assert "Run: factory evaluate --policy random --round 1" in ended.err.splitlines()[-1]


def test_killed_in_the_middle_no_attempt_is_lost_or_made_twice(arena: Arena, first: Ended) -> None:
    """At three moments: while tasks are drafted or attempts are made, then twice among the attempts."""
    arguments = ("evaluate", "--policy", "noisy:0.3", "--attempts", "30", "--no-control", "--json")
    known: set[tuple[Any, ...]] = arena.spooled()
    for more in (1, 20, 40):
        process = arena.factory.start(*arguments, "--home", str(arena.home), env=arena.env)
        wanted, deadline = len(known) + more, time.monotonic() + 120
        while len(arena.spooled()) < wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        found = arena.spooled()
        assert known < found, "what was kept stays, and the work went on"
        known = found
    ended = arena(*arguments)
    assert ended.code == 0, ended.err
    made = arena.spooled()
    assert known <= made
    policy = ended.json["policy_id"]
    attempts = sorted((row[2], row[3]) for row in made if row[1] == policy)
    tasks = [row[0] for row in arena.rows("select task_id from task_pools where round = 1 and pool <> 'training'")]
    assert attempts == sorted((task, number) for task in tasks for number in range(30))
    stored = arena.rows(f"{FINISHED} where policy_id = '{policy}'")
    assert set(stored) == {row for row in made if row[1] == policy} and len(stored) == len(attempts)
    assert len({row[4] for row in stored}) == 4, "each run made some"
    left = (
        "select count(*) from rollouts where id not in (select rollout_id from verdicts where rollout_id is not null)"
    )
    assert arena.rows(left) == [(0,)]


def test_a_served_model_is_evaluated_and_a_dead_endpoint_is_no_failure_of_it(
    arena: Arena, first: Ended, endpoint: StandIn, find_port: Any
) -> None:
    def evaluate(url: str) -> Ended:
        given = {"BASE_URL": url, "MODEL": "checkpoint-1", "API_KEY": KEY}
        env = {f"FACTORY_POLICY__{name}": value for name, value in given.items()} | {"FACTORY_LLM__RETRIES": "0"}
        return arena("evaluate", "--policy", "endpoint", "--attempts", "2", "--no-control", "--json", **env)

    dead = evaluate(f"http://127.0.0.1:{find_port()}/v1")
    assert dead.code == 2 and "Traceback" not in dead.err
    assert (dead.json["pass_at_1"], dead.json["attempts"], dead.json["errors"]) == (None, 0, 4)
    alive = evaluate(endpoint.url)
    assert alive.code == 0, alive.err
    assert (alive.json["pass_at_1"], alive.json["attempts"], alive.json["errors"]) == (0.0, 4, 0)
    answered = "select role, model, count(*) from model_calls where outcome = 'parsed' group by all"
    assert arena.rows(answered) == [("solver", "checkpoint-1", 8)] and len(endpoint.requests) == 8
    assert KEY not in dead.out + dead.err + alive.out + alive.err
    held = [path for path in arena.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert held == []


def test_a_new_round_asks_nothing_twice_and_keeps_the_seats(arena: Arena, first: Ended) -> None:
    seats = arena.rows("select family, role from family_roles order by all")
    second = arena("evaluate", "--policy", "perfect", "--fresh", "--no-control", "--json")
    assert second.code == 0, second.err
    assert (second.json["round"], second.json["pass_at_1"]) == (2, 1.0)
    assert arena.rows("select family, role from family_roles order by all") == seats
    repeated = "select request from tasks group by all having count(*) > 1"
    assert arena.rows(repeated) == []
    older = arena("evaluate", "--policy", "random", "--round", "1", "--no-control", "--json")
    assert (older.json["round"], older.json["tasks"]) == (1, 2), "a round that is over stays as it was"


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables with which a user's trainers are found: one that mends everything, one that breaks it."""
    folder = tmp_path_factory.mktemp("trainers")
    (folder / "my_training.py").write_text(
        "def mend(home, policy, number):\n    assert (home / 'warehouse' / 'current.duckdb').exists()\n    return 'perfect'\n\n\n"
        "def spoil(home, policy, number):\n    return 'random'\n"
    )
    return {"PYTHONPATH": str(folder)}


def test_a_policy_evolves_on_tasks_made_against_its_weakness(
    arena: Arena, first: Ended, trainer: dict[str, str]
) -> None:
    given = {"FACTORY_ARENA__CONTROL_ATTEMPTS": "20", "FACTORY_ARENA__TASKS_PER_GUIDELINE": "1"} | trainer
    arguments = ("evolve", "--policy", IMPAIRED, "--trainer", "my_training:mend", "--attempts", "6", "--json")
    ended = arena(*arguments, **given)
    assert ended.code == 0, ended.err
    (found,) = ended.json["rounds"]
    assert (found["outcome"], found["after"]["pass_at_1"]["rate"], ended.json["policy"]) == ("kept", 1.0, "perfect")
    assert found["before"]["pass_at_1"]["rate"] < 0.5 and found["guidelines"] > 0 and found["tasks"] > 0
    made = "select count(*) from current_tasks join task_pools on task_id = current_tasks.id where round = "
    assert arena.rows(f"{made} {found['round']} and pool = 'training'") == [(found["tasks"],)]
    assert arena.rows("select count(*) from lineage where child_kind = 'task' and parent_kind = 'guideline'") >= [(1,)]
    assert (
        arena.rows(
            "select 1 from training_tasks join task_pools on task_id = training_tasks.id where pool <> 'training'"
        )
        == []
    )


def test_a_policy_that_got_worse_is_rolled_back(arena: Arena, first: Ended, trainer: dict[str, str]) -> None:
    ended = arena("evolve", "--policy", "perfect", "--trainer", "my_training:spoil", "--json", **trainer)
    assert ended.code == 0, ended.err
    (found,) = ended.json["rounds"]
    assert (found["outcome"], ended.json["policy"]) == ("rolled_back", "perfect")
    told = CliRunner().invoke(app, ["rounds", "--home", str(arena.home)]).output
    assert "rolled_back" in told


def test_what_came_of_it_is_a_page_in_the_ui(arena: Arena, impaired: Ended) -> None:
    """Each flow leaves an artifact of its own beside the funnel."""
    assert arena("diagnose", "--policy", IMPAIRED, "--round", "1").code == 0
    assert arena("evolve", "--policy", "perfect", "--json").code == 0
    named = "impaired-stopped-early-1"
    for key, says in {
        f"evaluation-{named}": "Wilson's interval",
        f"diagnosis-{named}": "`stopped_early`",
        "evolution-perfect": "not trained",
    }.items():
        address = f"http://127.0.0.1:{arena.env['FACTORY_SERVER_PORT']}/api/artifacts/{key}/latest"
        with urllib.request.urlopen(address, timeout=30) as response:
            assert says in json.load(response)["data"], key
