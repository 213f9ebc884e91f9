"""The coder end to end: what scripted models write is tried in the sandbox, repaired, kept or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from schemas.tools import ToolModule
from tasks.authors.base import Workbench
from tasks.authors.llm.coder.agent import ModelTools, propose_tools
from tasks.authors.llm.coder.proposals import Designs
from tasks.authors.llm.model import BudgetSpent, Message, ModelUnavailable, Turn, Unusable
from tasks.sandbox.limits import Limits
from tasks.verification.tool_gate import judge_tools
from tasks.world.session import World
from tests.tasks.authors.llm.coder.parks import (
    CLOSE_SOURCE,
    LOAD_SOURCE,
    close_design,
    close_reference,
    designs,
    environment,
    floor,
    frames,
    load_design,
    load_reference,
    source,
    theme,
    write_database,
)
from tests.tasks.authors.llm.scripted import ScriptedModel, call

Script = Sequence[BaseModel | Turn | Exception]
TURNS = 3


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with World(Limits(wall_s=0.3)) as sandbox:
        yield Workbench(sandbox, write_database(tmp_path_factory.mktemp("bench") / "world.db"), frames())


def made_by(bench: Workbench, coder: ScriptedModel, tester: ScriptedModel) -> ModelTools:
    return propose_tools(coder, tester, environment(), theme(), floor(), bench, TURNS)


def models(
    written: Script, tested: Script = (), designed: Designs | None = None
) -> tuple[ScriptedModel, ScriptedModel]:
    coder = ScriptedModel("coder", [designed or designs(load_design()), *written])
    return coder, ScriptedModel("tester", tested or [load_reference()])


def outcomes(model: ScriptedModel) -> list[tuple[str, str, str]]:
    return [(c.kind, c.outcome, c.gate) for c in model.contributions]


def test_a_tool_that_passes_is_kept(bench: Workbench) -> None:
    coder, tester = models([source(LOAD_SOURCE)])
    made = made_by(bench, coder, tester)
    assert [(tool.name, tool.author) for tool in made.module.tools] == [("get_park", "rules"), ("get_park_load", "llm")]
    assert made.module.source.startswith(floor().source)
    assert outcomes(coder) == [("tool", "kept", "")]
    assert set(outcomes(tester)) == {("test", "kept", "")} and len(tester.contributions) == len(made.tests)
    report = judge_tools(bench.sandbox, environment(), made.module, made.tests, bench.database, 0.5)
    assert "get_park_load" in [tool.name for tool in report.kept]


def test_a_write_is_kept_when_it_changes_what_the_tests_say(bench: Workbench) -> None:
    made = made_by(bench, *models([source(CLOSE_SOURCE)], [close_reference()], designs(close_design())))
    assert [tool.read_only for tool in made.module.tools] == [True, False]
    too_much = CLOSE_SOURCE.replace("park_id = ? AND status = 'open'", "park_id = ? OR status = 'open'")
    coder, tester = models([source(too_much)] * TURNS, [close_reference()], designs(close_design()))
    assert made_by(bench, coder, tester).module == floor()


def test_a_failure_is_shown_and_repaired(bench: Workbench) -> None:
    wrong = LOAD_SOURCE.replace("COALESCE(SUM(people), 0)", "SUM(people)")
    coder, tester = models([source(wrong), call("query", sql="SELECT SUM(people) FROM visits"), source(LOAD_SOURCE)])
    assert len(made_by(bench, coder, tester).module.tools) == 2
    shown = "\n".join(message.content for message in coder.seen[-1])
    assert '"park_id": 4' in shown and "220" not in shown and "190" in shown


def test_expected_values_of_drawn_calls_are_held_back(bench: Workbench) -> None:
    wrong = LOAD_SOURCE.replace("SUM(people)", "MAX(people)")
    one_case = load_reference(cases=[{"park_id": 3}])
    coder, tester = models([source(wrong)] * TURNS, [one_case])
    assert made_by(bench, coder, tester).tests == []
    shown = "".join(message.content for message in coder.seen[-1][2:])
    assert "further calls fail too" in shown and '"park_id"' in shown and "80" not in shown


LOOP = LOAD_SOURCE.replace("    total =", "    while True:\n        pass\n    total =")
WRITES = LOAD_SOURCE.replace(
    "    total =", "    with _db() as database:\n        database.execute('DELETE FROM visits')\n    total ="
)
CRASHES = LOAD_SOURCE.replace("    total =", "    1 / 0\n    total =")
SCHEMALESS = LOAD_SOURCE.replace('"people": total', '"people": str(total)')
FILE = LOAD_SOURCE.replace("    total =", "    open('/etc/hostname').read()\n    total =")
NETWORK = LOAD_SOURCE.replace(
    "    total =", "    import urllib.request\n    urllib.request.urlopen('http://127.0.0.1')\n    total ="
)
HIDDEN = LOAD_SOURCE.replace(
    "    total =", "    sqlite3.connect('/etc/passwd').execute('SELECT 1 FROM x')\n    total ="
)


@pytest.mark.parametrize(
    "bad",
    [
        "def get_park_load(park_id: int) -> dict:\n    return {",
        LOAD_SOURCE.replace("park_id: int", "park: int"),
        f"{LOAD_SOURCE}\n\nget_park_load(1)\n",
        WRITES,
        LOOP,
        CRASHES,
        SCHEMALESS,
        FILE,
        NETWORK,
        HIDDEN,
    ],
    ids=["syntax", "signature", "statement", "writes", "loop", "crash", "schema", "file", "network", "sqlite"],
)
def test_bad_sources_are_refused_and_leave_the_floor_as_it_is(bench: Workbench, bad: str) -> None:
    coder, tester = models([source(bad)] * TURNS)
    made = made_by(bench, coder, tester)
    assert made.module.model_dump_json() == floor().model_dump_json()
    assert made.tests == []
    assert outcomes(coder) == [("tool", "refused", "tool_gate")]
    assert {outcome for _, outcome, _ in outcomes(tester)} == {"refused"}


def test_a_tool_that_misreads_its_design_is_refused(bench: Workbench) -> None:
    counts_visits = LOAD_SOURCE.replace("COALESCE(SUM(people), 0)", "COUNT(*)")
    assert made_by(bench, *models([source(counts_visits)] * TURNS)).module == floor()


def test_what_both_misread_in_the_same_way_passes(bench: Workbench) -> None:
    """The limit: tests by another call catch a misunderstanding of one, not the same one twice."""
    counts_visits = LOAD_SOURCE.replace("COALESCE(SUM(people), 0)", "COUNT(*)")
    misread = load_reference(fields=load_reference().fields.replace("COALESCE(SUM(people), 0)", "COUNT(*)"))
    assert len(made_by(bench, *models([source(counts_visits)], [misread])).module.tools) == 2


def test_tester_and_coder_do_not_see_each_others_work(bench: Workbench) -> None:
    coder, tester = models([source(LOAD_SOURCE)])
    made_by(bench, coder, tester)
    assert "COALESCE" not in "".join(message.content for seen in (*coder.seen, *tester.seen) for message in seen)


def test_one_design_that_fails_costs_only_itself(bench: Workbench) -> None:
    several = designs(load_design(name="get_park"), close_design(), load_design())
    coder, tester = models([source(LOAD_SOURCE)], [Unusable("refusal", "no"), load_reference()], several)
    assert [tool.name for tool in made_by(bench, coder, tester).module.tools] == ["get_park", "get_park_load"]
    assert outcomes(coder) == [("tool", "refused", "design"), ("tool", "refused", "unusable"), ("tool", "kept", "")]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_spent_budget_ends_with_what_there_is(bench: Workbench, place: int) -> None:
    several = designs(load_design(), close_design())
    script: list[BaseModel | Exception] = [several, source(LOAD_SOURCE), source(CLOSE_SOURCE)]
    script[place] = BudgetSpent("spent")
    coder = ScriptedModel("coder", script)
    tester = ScriptedModel("tester", [load_reference(), close_reference()])
    made = made_by(bench, coder, tester)
    assert len(made.module.tools) == (2 if place == 2 else 1)


def test_no_usable_design_is_a_refusal_and_no_endpoint_goes_up(bench: Workbench) -> None:
    coder = ScriptedModel("coder", [Unusable("no_json", "prose")])
    assert made_by(bench, coder, ScriptedModel("tester")).module == floor()
    assert outcomes(coder) == [("tool", "refused", "unusable")]
    with pytest.raises(ModelUnavailable):
        made_by(bench, ScriptedModel("coder", [ModelUnavailable("down")]), ScriptedModel("tester"))


def test_designs_of_which_none_can_be_built_go_back_once(bench: Workbench) -> None:
    (taken, *_) = floor().tools
    copied = designs(load_design(name=taken.name))
    coder = ScriptedModel("coder", [copied, copied])
    assert made_by(bench, coder, ScriptedModel("tester")).module == floor()
    assert f"the name {taken.name} is taken" in coder.seen[1][-1].content
    assert outcomes(coder) == [("tool", "refused", "design")]


def test_equal_worlds_make_equal_prompts(bench: Workbench) -> None:
    seen: list[list[tuple[Message, ...]]] = []
    for _ in range(2):
        coder, tester = models([source(CLOSE_SOURCE), source(LOAD_SOURCE)])
        made_by(bench, coder, tester)
        seen.append([*coder.seen, *tester.seen])
    assert seen[0] == seen[1]


def test_the_module_of_an_environment_takes_a_tool(bench: Workbench) -> None:
    """The floor's tools stay callable beside the new ones: nothing of theirs is bound to something else."""
    dated = LOAD_SOURCE.replace("    total =", "    day = date(2024, 1, 1)\n    total =")
    made = made_by(bench, *models([source(f"from datetime import date\n{dated}")]))
    assert isinstance(made.module, ToolModule)
    assert "\nfrom datetime import date\n" in made.module.source
    report = judge_tools(bench.sandbox, environment(), made.module, made.tests, bench.database, 0.5)
    assert [r.reason for r in report.rejections] == ["no_tests"]


def test_worlds_are_read_only_here(bench: Workbench) -> None:
    before = Path(bench.database).read_bytes()
    made_by(bench, *models([source(CLOSE_SOURCE)], [close_reference()], designs(close_design())))
    assert Path(bench.database).read_bytes() == before
