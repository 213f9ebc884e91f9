"""Every role by a real model, and one whole environment with rules as the floor: what it contributed, what was refused.

Nothing here is about how well a model does: a small one contributes little. What holds for every model is that all of
its calls are counted, that the floor stands, and that what was kept passed the gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from schemas.models import ROLES, Contribution, Role
from schemas.settings import LlmSettings
from tasks.authors.base import Workbench
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import spool_of
from tasks.authors.llm.coder.agent import propose_tools
from tasks.authors.llm.coder.proposals import Designs
from tasks.authors.llm.diagnostician.agent import diagnose
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.model import Answer, Message, Model, ToolSpec, Turn
from tasks.authors.llm.research.agent import research_with
from tasks.world.session import World
from tests.flows.conftest import ROOT, Factory
from tests.tasks.authors.llm.coder import parks
from tests.tasks.authors.llm.diagnostician.conftest import PublishedRows, stored
from tests.tasks.authors.llm.research.harbour import harbour, lighthouse, theme_of
from tests.tasks.authors.llm.research.harbour import settings as search_settings
from tests.tasks.authors.llm.scripted import finish
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
    """The home that all roles work in; what each did is printed at the end."""
    home = tmp_path_factory.mktemp("model") / "home"
    yield home
    print(factory("llm", "stats", "--home", str(home), env=variables).out)
    if Published(home).path.exists():
        print(factory("sql", "--named", "cost", "--home", str(home), env=variables).out)


@pytest.fixture(scope="module")
def written(home: Path, factory: Factory, variables: dict[str, str]) -> Path:
    """The home, in which a model wrote an environment beside the rules."""
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
    return home


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


def test_an_environment_is_written_with_rules_as_the_floor(written: Path) -> None:
    published = Published(written)
    tools = dict(published.sql("select author, count(*) from current_tools group by all").rows)
    tasks = published.sql("select author, assurance, count(*) from current_tasks group by all").rows
    print(f"kept tools by author: {tools}; tasks: {tasks}")
    assert tools["rules"] >= 20 and sum(row[2] for row in tasks) == 2
    assert all(assurance == "confirmed" for author, assurance, _ in tasks if author == "llm")


class Designed:
    """A coder to whom its designs are given: small models design what there is already."""

    def __init__(self, coder: Model, designs: Designs) -> None:
        self.role, self.subject, self.name = coder.role, coder.subject, coder.name
        self._coder, self._designs = coder, iter([designs])

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        return self._coder.ask(messages, schema, attempt=attempt)

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], answer: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        designs = next(self._designs, None)
        return finish(designs) if designs else self._coder.act(messages, tools, answer, attempt=attempt)

    def report(self, contribution: Contribution) -> None:
        self._coder.report(contribution)


def test_a_tool_is_written_by_one_and_tested_by_another(model: Any, tmp_path: Path) -> None:
    with World() as world:
        bench = Workbench(world, parks.write_database(tmp_path / "world.db"), parks.frames())
        coder, floor = Designed(model("coder"), parks.designs(parks.load_design())), parks.floor()
        made = propose_tools(coder, model("tester"), parks.environment(), parks.theme(), floor, bench, TURNS)
    print(f"tools: {[tool.name for tool in made.module.tools]}, {len(made.tests)} tests of the model's")
    assert made.module.tools[: len(floor.tools)] == floor.tools
    assert bool(made.tests) == (len(made.module.tools) > len(floor.tools))


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


def test_a_judge_is_calibrated(written: Path, factory: Factory, variables: dict[str, str]) -> None:
    rules = {name: value for name, value in variables.items() if not name.startswith("FACTORY_LLM__")}
    factory("expand", "--themes", "music_store", "--tasks", "8", "--home", str(written), env=rules)
    given = ("--items", str(ITEMS), "--json", "--home", str(written))
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


def test_every_call_of_every_role_is_counted(written: Path, factory: Factory, variables: dict[str, str]) -> None:
    """Runs last: all roles have worked."""
    rows = factory("llm", "stats", "--json", "--home", str(written), env=variables).json["roles"]
    assert [row["role"] for row in rows] == list(ROLES)
    assert all(row["calls"] == row["parsed"] + row["refused"] + row["errors"] for row in rows)
    assert not {row["role"] for row in rows if not row["calls"]}
