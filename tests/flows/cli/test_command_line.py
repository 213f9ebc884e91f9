"""The command line: exit codes, one-line errors, help with an example, and JSON that programs can read."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app
from flows.cli.production import QUERIES_TO_PASTE
from schemas.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent.parent
COMMANDS = {command.name: command for command in typer.main.get_command(app).commands.values()}  # type: ignore[attr-defined]


@pytest.fixture
def home(built: Any) -> Path:
    """A home with one theme's environment and two tasks."""
    home: Path = built.home
    return home


def test_the_commands_of_the_spine() -> None:
    assert set(COMMANDS) >= {"demo", "expand", "status", "sql", "verify", "up", "down"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_has_an_example_and_home(name: str, factory: Any) -> None:
    ended = factory(name, "--help")
    assert ended.code == 0
    assert re.search(rf"Examples?: .*factory {name}\b", ended.out)
    assert "--home" in ended.out


@pytest.mark.parametrize("name", ["demo", "expand", "status", "sql", "verify"])
def test_what_prints_a_table_prints_json_too(name: str) -> None:
    assert "--json" in {option for parameter in COMMANDS[name].params for option in parameter.opts}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_documented(name: str) -> None:
    readme = (ROOT / "README.md").read_text()
    assert f"factory {name}" in readme, f"README.md does not mention factory {name}"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_described(name: str) -> None:
    assert Settings.model_fields[name].description


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("expand", "--themes", "submarines"), "music_store"),
        (("expand", "--themes", " , "), "factory expand"),
        (("status", "--home", "nothing_here"), "Run: factory"),
        (("sql", "select 1", "--home", "nothing_here"), "Run: factory"),
        (("sql",), "factory sql --named funnel"),
        (("sql", "select 1", "--named", "funnel"), "factory sql --named funnel"),
        (("sql", "select 1", "--param", "a=1"), "factory sql --named funnel"),
        (("sql", "--named", "funnel", "--param", "a"), "KEY=VALUE"),
        (("verify",), "factory verify --all"),
        (("verify", "--all", "task_1"), "factory verify --all"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_users_mistake_is_one_line_and_exit_code_2(arguments: tuple[str, ...], says: str, factory: Any) -> None:
    ended = factory(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert len(ended.err.splitlines()) == 1
    assert ended.err.startswith("factory: ") and says in ended.err


def test_a_misspelt_setting_is_not_ignored(factory: Any) -> None:
    ended = factory("status", env={"FACTORY_SEEDS": "3"})
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert "FACTORY_SEEDS" in ended.err and "seed" in ended.err


def test_a_bad_setting_names_itself(factory: Any) -> None:
    ended = factory("status", env={"FACTORY_SERVER_PORT": "tomorrow"})
    assert ended.code == 2
    assert "FACTORY_SERVER_PORT='tomorrow'" in ended.err and len(ended.err.splitlines()) == 1


def test_a_home_that_is_a_file_is_refused(factory: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = factory("expand", "--home", str(tmp_path / "file"))
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)


def test_status_figures(factory: Any, home: Path) -> None:
    figures = factory("status", "--json", "--home", str(home)).json
    assert figures["environments"] == {"accepted": 1, "rejected": 0}
    assert set(figures["tools"]) == {"kept", "rejected"}
    assert set(figures["tasks"]) == {"accepted", "rejected", "by_kind", "with_required_change"}
    assert sum(figures["tasks"]["by_kind"].values()) == figures["tasks"]["accepted"] == 2
    assert figures["mean_gold_calls"] >= 7
    assert figures["wall_s"] > 0 and 0 <= figures["orchestration_share"] <= 1
    table = factory("status", "--home", str(home))
    assert table.code == 0 and "environments" in table.out


def test_sql_as_table_and_json(factory: Any, home: Path) -> None:
    query = "select theme_name, count(*) as environments from environments group by 1"
    assert factory("sql", query, "--json", "--home", str(home)).json == [
        {"theme_name": "music_store", "environments": 2}
    ], "as it was mined, and after a round"
    assert "music_store" in factory("sql", query, "--home", str(home)).out
    funnel = factory("sql", "--named", "funnel", "--json", "--home", str(home)).json
    assert all(row["proposed"] == row["kept"] + row["rejected"] for row in funnel) and funnel
    tools = factory("sql", "--named", "tools", "--param", "theme=music_store", "--json", "--home", str(home)).json
    assert len(tools) >= 20 and {row["theme_name"] for row in tools} == {"music_store"}


def test_sql_cannot_leave_the_file_or_change_it(factory: Any, home: Path) -> None:
    for query in ("select * from read_text('/etc/hostname')", "delete from tasks", "copy tasks to 'out.csv'"):
        ended = factory("sql", query, "--home", str(home))
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), query


@pytest.mark.parametrize("query", QUERIES_TO_PASTE)
def test_the_queries_that_demo_offers_run(query: str, factory: Any, home: Path) -> None:
    program, *arguments = shlex.split(query)
    assert program == "factory"
    ended = factory(*arguments, "--json", "--home", str(home))
    assert ended.code == 0, ended.err
    assert ended.json


def test_verify_one_environment_or_task(factory: Any, home: Path) -> None:
    rows = factory("sql", "select id, environment_id from tasks order by id", "--json", "--home", str(home)).json
    one = factory("verify", rows[0]["id"], "--json", "--home", str(home))
    assert (one.code, one.json["tasks"]) == (0, 1)
    both = factory("verify", rows[0]["environment_id"], "--json", "--home", str(home))
    assert (both.code, both.json["tasks"], both.json["failures"]) == (0, 2, [])
    table = factory("verify", "--all", "--home", str(home))
    assert table.code == 0 and "wrong attempts" in table.out and "… that pass" in table.out


def test_verify_tells_a_world_that_was_changed(factory: Any, home: Path) -> None:
    """A tool that answers otherwise than when the gold run was made."""
    tools = next((home / "environments").glob("*/tools.py"))
    before = tools.read_text()
    try:
        tools.write_text(before.replace("sqlite3.connect(", "sqlite3.connect(':memory:') or ("))
        ended = factory("verify", "--all", "--json", "--home", str(home))
    finally:
        tools.write_text(before)
    assert ended.code == 1
    assert (ended.json["tasks"], ended.json["replayed_equal"], ended.json["failed"]) == (2, 0, 2)
    assert all(failure["task_id"] and failure["detail"] for failure in ended.json["failures"])


def test_quick_commands_leave_the_heavy_packages_alone(factory: Any, home: Path) -> None:
    prelude = (
        "import atexit, sys\n"
        "heavy = ('prefect', 'polars', 'networkx', 'openai', 'great_expectations')\n"
        "atexit.register(lambda: print([name for name in heavy if name in sys.modules], file=sys.stderr))"
    )
    for arguments in (("--help",), ("status", "--home", str(home)), ("sql", "select 1", "--home", str(home))):
        assert factory(*arguments, prelude=prelude).err.strip() == "[]", arguments
