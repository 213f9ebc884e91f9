"""Every role by a real model, and one whole environment with rules as the floor: what it contributed, what was refused.

Nothing here is about how well a model does: a small one contributes little. What holds for every model is that all of
its calls are counted, that the floor stands, and that what was kept passed the gates.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.models import ROLES, Role
from schemas.settings import LlmSettings
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import spool_of
from tasks.authors.llm.diagnostician.agent import diagnose
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.model import Model
from tasks.authors.llm.research.agent import research_with
from tasks.world.session import World
from tests.flows.conftest import ROOT, Factory
from tests.tasks.authors.llm.diagnostician.conftest import PublishedRows, stored
from tests.tasks.authors.llm.research.harbour import harbour, lighthouse, theme_of
from tests.tasks.authors.llm.research.harbour import settings as search_settings
from warehouse.published import Published
from warehouse.store import Warehouse

pytestmark = pytest.mark.model

SMALL = {
    "FACTORY_LLM__TURNS": "4",
    "FACTORY_LLM__DRAFTS": "1",
    "FACTORY_LLM__EDGE_CALLS": "3",
    "FACTORY_LLM__MAX_TOKENS": "1024",
    "FACTORY_LLM__CONCURRENCY": "1",
    "FACTORY_LLM__ENVIRONMENT_BUDGET__SECONDS": "900",
    "FACTORY_SOLVER__RUNS": "2",
    "FACTORY_SOLVER__TURNS": "12",
    "FACTORY_SOLVER__CLOSED_BOOK_RUNS": "1",
    "FACTORY_WORKERS": "1",
}
"""So that a small model on a CPU comes to an end; a variable of the caller's wins."""
TURNS, ITEMS = 6, 20


@pytest.fixture(scope="module")
def variables(model_variables: dict[str, str], at_server: dict[str, str]) -> dict[str, str]:
    return {**at_server, **SMALL, **model_variables}


@pytest.fixture(scope="module")
def home(factory: Factory, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home in which a model wrote beside the rules; what each role did is printed at the end."""
    home = tmp_path_factory.mktemp("model") / "home"
    ended = factory(
        "expand",
        "--author",
        "llm",
        "--themes",
        "music_store",
        "--tasks",
        "2",
        "--home",
        str(home),
        env=variables,
        timeout=3000,
    )
    print(ended.out)
    assert ended.code == 0, ended.err
    yield home
    print(factory("llm", "stats", "--home", str(home), env=variables).out)
    print(factory("sql", "--named", "cost", "--home", str(home), env=variables).out)


@pytest.fixture
def model(home: Path, variables: dict[str, str]) -> Any:
    """A function from role to model, on the home's spool."""
    prefix = "FACTORY_LLM__"
    plain = {name.removeprefix(prefix).lower(): value for name, value in variables.items() if name.startswith(prefix)}
    llm = LlmSettings.model_validate({name: value for name, value in plain.items() if "__" not in name})
    client = ModelClient(llm, spool_of(home), "test")

    def of(role: Role) -> Model:
        return client.role(role, "test")

    return of


def test_the_endpoint_is_probed(factory: Factory, variables: dict[str, str], tmp_path: Path) -> None:
    found = factory("doctor", "--json", "--home", str(tmp_path), env=variables).json["models"]
    (modes,) = [each for name, each in found.items() if name == variables["FACTORY_LLM__MODEL"]]
    assert modes["reachable"] and modes["mode"] in ("native", "json_schema", "text")
    print(modes)


def test_an_environment_is_written_with_rules_as_the_floor(home: Path) -> None:
    published = Published(home)
    tools = dict(published.sql("select author, count(*) from current_tools group by all").rows)
    tasks = published.sql("select author, assurance, count(*) from current_tasks group by all").rows
    print(f"kept tools by author: {tools}; tasks: {tasks}")
    assert tools["rules"] >= 20 and sum(row[2] for row in tasks) == 2
    assert all(assurance == "confirmed" for author, assurance, _ in tasks if author == "llm")


def test_documents_are_read(factory: Factory, home: Path, variables: dict[str, str]) -> None:
    given = {"FACTORY_AUTHORS__THEMES": "llm", "FACTORY_AUTHORS__TAXONOMY": "llm"}
    document = ROOT / "tests" / "documents" / "podcast_catalogue.json"
    ended = factory("discover", "tools", str(document), "--home", str(home), env=variables | given, timeout=1200)
    assert ended.code == 0, ended.err


def test_a_site_is_searched(model: Any, tmp_path: Path) -> None:
    with harbour() as site, World() as world:
        theme = theme_of(site, lighthouse("name", "height", "built"))
        found = research_with(model("research"), theme, search_settings(), tmp_path / "h", sandbox=world, turns=TURNS)
    print(f"harvest by {found.author}: {[(table.name, table.frame.height) for table in found.tables]}")
    assert found.tables


def test_a_judge_is_calibrated(home: Path, factory: Factory, variables: dict[str, str]) -> None:
    rules = {name: value for name, value in variables.items() if not name.startswith("FACTORY_LLM__")}
    factory("expand", "--themes", "music_store", "--tasks", "8", "--home", str(home), env=rules)
    given = ("--items", str(ITEMS), "--json", "--home", str(home))
    found = factory("llm", "calibrate", *given, env=variables, timeout=3000).json
    print(found)
    assert found["items"] == ITEMS and found["accepted"] == (found["agreement"] >= found["floor"])


def test_failures_are_diagnosed(model: Any, tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.merge(stored())
    warehouse.publish()
    evidence = Evidence("policy_1", PublishedRows(Published(tmp_path)), None, None)
    found = diagnose(model("diagnostician"), evidence, TURNS)
    print(found)
    assert [weak.environment_id for weak in found.weak][:1] == ["env_late"]


def test_every_call_of_every_role_is_counted(home: Path, factory: Factory, variables: dict[str, str]) -> None:
    """Runs last: all roles have worked."""
    rows = factory("llm", "stats", "--json", "--home", str(home), env=variables).json["roles"]
    assert [row["role"] for row in rows] == list(ROLES)
    assert all(row["calls"] == row["parsed"] + row["refused"] + row["errors"] for row in rows)
    silent = {row["role"] for row in rows if not row["calls"]}
    assert silent <= {"tester"}, silent  # who has nothing to test where no design can be built
