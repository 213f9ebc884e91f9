"""The doors give back what was stored, decide what is current, and lose nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.proofs import Admission, Flag
from schemas.records import StageRun
from schemas.rounds import Guideline
from schemas.tasks import GoldStep
from schemas.tools import Tool
from warehouse import rows
from warehouse.store import Published

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
FEW = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # an example opens the file six times: too slow to shrink
    suppress_health_check=list(HealthCheck),
)


def later(stamp, seconds, run_id):
    return replace(stamp, run_id=run_id, created_at=stamp.created_at + timedelta(seconds=seconds))


def test_environment_survives_a_round_trip(filled_warehouse, environment):
    assert rows.load_environment(filled_warehouse, environment.id) == environment


def test_unknown_environment_names_the_next_command(warehouse):
    with pytest.raises(UsageError, match="factory sql --named environments"):
        rows.load_environment(warehouse, "environment_none")


def test_tools_tests_and_edges_survive_in_order(filled_warehouse, samples, environment):
    assert rows.load_tools(filled_warehouse, environment.id) == samples.tools()
    assert rows.load_edges(filled_warehouse, environment.id) == samples.edges()
    tests, outcomes = zip(*rows.load_tests(filled_warehouse, environment.id), strict=True)
    assert list(tests) == samples.tests()
    assert list(outcomes) == [*samples.outcomes(), None]


def test_order_of_properties_is_kept(warehouse, stamp, samples):
    tool = samples.tools()[0].model_copy(update={"input_schema": {"z": 1, "a": 2, "m": 3}})
    rows.save_tools(warehouse, "environment_x", "source", [tool], [], [], [], [], samples.measures, [], stamp)
    assert list(rows.load_tools(warehouse, "environment_x")[0].input_schema) == ["z", "a", "m"]


def test_tasks_survive_by_id_by_environment_and_by_default(filled_warehouse, samples, environment):
    expected = sorted(
        [samples.task(environment, 1), samples.task(environment, 2), samples.task(environment, 3, "programmatic")],
        key=lambda pair: pair[0].id,
    )
    assert rows.load_tasks(filled_warehouse) == expected
    assert rows.load_tasks(filled_warehouse, [environment.id]) == expected
    assert rows.load_tasks(filled_warehouse, [expected[1][0].id]) == [expected[1]]
    filled_warehouse.publish()
    assert rows.load_tasks(Published(filled_warehouse.home)) == expected
    with pytest.raises(UsageError, match="task_none"):
        rows.load_tasks(filled_warehouse, [environment.id, "task_none"])


@FEW
@given(values=st.lists(JSON, min_size=5, max_size=20), text=TEXT)
def test_any_json_survives(warehouse, stamp, samples, values, text):
    example = content_id("example", values, text)
    environment = samples.environment(samples.theme()).model_copy(update={"id": example})
    tool = Tool(name="any", description=text, operation="get", read_only=False, input_schema={"s": values},
                output_schema={text: text}, intent={})  # fmt: skip
    task, gold = samples.task(environment, 1)
    task = task.model_copy(update={"request": text, "expected_answer": {"value": values}})
    steps = [
        GoldStep(index=n, tool="any", arguments={"v": value}, observation=value, observation_sha256="", read_only=True)
        for n, value in enumerate(values)
    ]
    gold = gold.model_copy(update={"steps": steps, "state_diff": {"d": values}})
    rows.save_environment(warehouse, environment, [], [], stamp)
    rows.save_tools(warehouse, example, "source", [tool], [], [], [], [], samples.measures, [], stamp)
    rows.save_tasks(warehouse, example, [Admission(task, gold, samples.proof)], [], [], stamp)
    # repr tells 1 from 1.0 and -0.0 from 0.0, which == does not.
    assert repr(rows.load_tools(warehouse, example)) == repr([tool])
    assert repr(rows.load_tasks(warehouse, [example])) == repr([(task, gold)])


def test_storing_the_same_line_again_adds_nothing(filled_warehouse, stamp, samples):
    tables = ("themes", "sources", "environments", "profiles", "batches", "decisions", "tools", "tool_tests",
              "tool_edges", "tasks", "checks", "gold_runs", "gold_steps", "rejections", "lineage",
              "quality_results", "library_trail", "rounds", "measures", "intents", "value_sources")  # fmt: skip
    count = " union all ".join(f"select '{table}', count(*) from {table}" for table in tables)
    filled_warehouse.publish()
    before = Published(filled_warehouse.home).sql(count).rows
    samples.fill(filled_warehouse, later(stamp, 60, "run_2"))
    filled_warehouse.publish()
    assert Published(filled_warehouse.home).sql(count).rows == before
    assert all(number > 0 for _, number in before)


def test_flagged_and_practice_tasks_are_not_trained_on(warehouse, stamp, samples):
    environment = samples.fill(warehouse, stamp)
    practice, alike, kept = (samples.task(environment, number) for number in (11, 12, 13))
    pairs = [(practice[0].model_copy(update={"level": 0}), practice[1]), alike, kept]
    evidence = {"evidence": "it says “book the flight”", "score": 0.4}
    flag = Flag(subject_kind="task", subject_id=alike[0].id, kind="contaminated", what="airline", **evidence)
    admitted = [Admission(*pair, samples.proof) for pair in pairs]
    rows.save_tasks(warehouse, environment.id, admitted, [], [flag], later(stamp, 1, "run_2"))
    warehouse.publish()
    published = Published(warehouse.home)
    assert published.sql("select id from training_tasks").rows == [(kept[0].id,)]
    assert published.sql("select count(*) from current_tasks").rows == [(3,)]
    counted = published.sql("select task_id, mutants, killed from proofs order by task_id").rows
    assert set(counted) >= {(task.id, samples.proof.mutants, samples.proof.killed) for task, _ in pairs}


def test_the_latest_run_decides_which_environment_is_current(warehouse, stamp, samples):
    first = samples.fill(warehouse, stamp, seed=0)
    second = samples.fill(warehouse, later(stamp, 10, "run_2"), seed=1)
    assert [row["environment_id"] for row in warehouse.rows("environments")] == [second.id]
    rows.save_run_environments(warehouse, {first.theme_id: first.id}, later(stamp, 20, "run_3"))
    assert [row["environment_id"] for row in warehouse.rows("environments")] == [first.id]
    assert {task.environment_id for task, _ in rows.load_tasks(warehouse)} == {first.id}
    assert rows.status(warehouse)["environments"] == {"accepted": 1, "rejected": 0}


def test_a_changed_recipe_replaces_the_theme_of_that_name(filled_warehouse, stamp, samples):
    theme = samples.theme().model_copy(update={"description": "Rolls"})
    environment = samples.environment(theme)
    rows.save_themes(filled_warehouse, [theme], [], [], stamp)
    rows.save_environment(filled_warehouse, environment, [], [], stamp)
    rows.save_run_environments(filled_warehouse, {theme.id: environment.id}, later(stamp, 5, "run_2"))
    found = filled_warehouse.rows("environments")
    assert [(row["environment_id"], row["state"]) for row in found] == [(environment.id, "unfinished")]


def test_the_latest_tool_batch_replaces_the_one_before(filled_warehouse, stamp, samples, environment):
    refused = samples.rejection("build_tools", "tool", 5, "mutates_state", environment_id=environment.id)
    second = later(stamp, 1, "run_2")
    rows.save_tools(
        filled_warehouse,
        environment.id,
        "source",
        samples.tools()[:1],
        [],
        [],
        [],
        [refused],
        samples.measures,
        [],
        second,
    )
    assert [tool.name for tool in rows.load_tools(filled_warehouse, environment.id)] == ["search_loaves"]
    assert rows.load_edges(filled_warehouse, environment.id) == []
    assert rows.status(filled_warehouse)["tools"] == {"kept": 1, "rejected": 1}


def test_status_counts_current_versions(warehouse, stamp, samples):
    samples.fill(warehouse, stamp)
    samples.fill(warehouse, stamp, name="mill")
    refused = samples.theme("forge")
    rows.save_themes(warehouse, [refused], [], [], stamp)
    rejection = samples.rejection("mine", "theme", 0, "too_few_tables", subject_id=refused.id)
    rows.save_refused_theme(warehouse, [rejection], stamp)
    rows.save_run_environments(warehouse, {refused.id: None}, stamp)
    figures = rows.status(warehouse)
    assert sum(figures.pop("classes").values()) == 0, "nobody classified them"
    assert figures == {
        "environments": {"accepted": 2, "rejected": 1},
        "tools": {"kept": 4, "rejected": 2},
        "tasks": {
            "accepted": 6,
            "rejected": 4,
            "by_kind": {"graph": 4, "programmatic": 2},
            "with_required_change": 4,
        },
        "mean_gold_calls": 2.0,
        "wall_s": None,
        "orchestration_share": None,
        "themes": {"in": 2, "merged": 0, "rejected": 1},
        "formats": {"md": 2, "sqlite": 2},
    }


def test_a_refused_world_keeps_its_quality(filled_warehouse, stamp, samples):
    theme = samples.theme("mill")
    world = samples.environment(theme)
    rows.save_themes(filled_warehouse, [theme], [], [], stamp)
    rejection = samples.rejection("mine", "theme", 0, "quality_gate", subject_id=theme.id)
    assert rows.load_theme(filled_warehouse, theme.id) == theme
    rows.save_refused_theme(filled_warehouse, [rejection], stamp, world, samples.results())
    rows.save_run_environments(filled_warehouse, {theme.id: None}, stamp)
    found = [(r["theme_name"], r["expectation"], r["passed"]) for r in filled_warehouse.rows("quality")]
    expected = [("not_null", False), ("not_constant", False), ("unique", True)]
    assert found == [(name, *result) for result in expected for name in ("bakery", "mill")]
    assert [row["reason"] for row in filled_warehouse.rows("rejections") if row["theme_name"] == "mill"] == [
        "quality_gate"
    ]
    with pytest.raises(UsageError, match="no theme theme_gone"):
        rows.load_theme(filled_warehouse, "theme_gone")


def test_the_trail_of_a_theme_is_told_in_order(filled_warehouse, samples):
    assert [(r["theme_name"], r["file"], r["outcome"]) for r in filled_warehouse.rows("library")] == [
        ("bakery", "bakery/loaves.csv", "taken")
    ]


def test_an_environment_without_a_valid_tool_is_rejected(warehouse, stamp, samples):
    theme = samples.theme()
    environment = samples.environment(theme)
    rows.save_themes(warehouse, [theme], [], [], stamp)
    rows.save_environment(warehouse, environment, [], [], stamp)
    rows.save_run_environments(warehouse, {theme.id: environment.id}, stamp)
    rejection = samples.rejection("build_tools", "environment", 0, "no_valid_tool", subject_id=environment.id)
    rows.save_tools(warehouse, environment.id, "source", [], [], [], [], [rejection], samples.measures, [], stamp)
    assert rows.status(warehouse)["environments"] == {"accepted": 0, "rejected": 1}
    funnel = {row["subject_kind"]: row for row in warehouse.rows("funnel") if row["stage"] == "build_tools"}
    assert funnel["environment"]["rejected_by_reason"] == "no_valid_tool 1"


def test_the_funnel_adds_up(filled_warehouse, stamp, samples, environment):
    samples.fill(filled_warehouse, stamp, name="mill", seed=3)
    funnel = {(row["stage"], row["subject_kind"]): row for row in filled_warehouse.rows("funnel")}
    assert list(funnel) == [("mine", "theme"), ("build_tools", "environment"), ("build_tools", "tool"),
                            ("complexify", "environment"), ("synthesize", "task")]  # fmt: skip
    assert all(row["proposed"] == row["kept"] + row["rejected"] for row in funnel.values())
    assert funnel["synthesize", "task"]["kept"] == 6
    assert funnel["synthesize", "task"]["rejected_by_reason"] == "replay_differs 4"
    # A decision whose row is lost shows as a difference: the sum is not true by construction.
    lost = {"id": "d", "run_id": "r", "created_at": stamp.created_at, "code_version": "1", "seed": 0, "position": 99,
            "stage": "synthesize", "subject_kind": "task", "subject_id": "task_lost", "outcome": "kept",
            "batch_id": batch_of(filled_warehouse, environment)}  # fmt: skip
    filled_warehouse.merge({"decisions": [lost]})
    task = next(row for row in filled_warehouse.rows("funnel") if row["subject_kind"] == "task")
    assert task["proposed"] == task["kept"] + task["rejected"] + 1


def batch_of(warehouse, environment):
    warehouse.publish()
    found = Published(warehouse.home).sql(
        "select id from latest_batches where stage = 'synthesize' and subject_id = ?", [environment.id]
    )
    return found.rows[0][0]


def test_every_identical_refusal_counts_once(filled_warehouse, stamp, samples, environment):
    twice = [samples.rejection("synthesize", "task", 7, environment_id=environment.id)] * 2
    admitted = [Admission(*samples.task(environment, 1), samples.proof)]
    rows.save_tasks(filled_warehouse, environment.id, admitted, twice, [], later(stamp, 1, "run_2"))
    task = next(row for row in filled_warehouse.rows("funnel") if row["subject_kind"] == "task")
    assert (task["proposed"], task["kept"], task["rejected"]) == (2, 1, 1)


def test_lineage_of_a_task_reaches_the_sources(filled_warehouse, samples, environment):
    task, _ = samples.task(environment, 1)
    found = [(row["kind"], row["name"], row["depth"]) for row in filled_warehouse.rows("lineage", id=task.id)]
    assert found == [
        ("environment", "bakery version 1", 1),
        ("tool", "get_loaf", 1),
        ("tool", "search_loaves", 1),
        ("source", "loaves 1.2.3: bakers.csv", 2),
        ("source", "loaves 1.2.3: loaves.csv", 2),
        ("theme", "The bakery", 2),
    ]


def test_orchestration_is_what_no_stage_covers(warehouse, stamp):
    rows.save_run(warehouse, "expand", {"themes": None}, 100.0, stamp)
    # Union of overlapping intervals: 101-104 and 106-108 are 5 s of 10; 95 lies before the run.
    spans = [("mine", 101.0, 103.0), ("mine", 102.0, 104.0), ("build_tools", 101.5, 102.5), ("publish", 106.0, 108.0),
             ("discover", 95.0, 96.0)]  # fmt: skip
    for number, (stage, start, end) in enumerate(spans):
        rows.save_stage_run(warehouse, StageRun(stage=stage, subject_id=f"s{number}", started_at=start,
                                                finished_at=end, counts={"tables": 3}), stamp)  # fmt: skip
    assert rows.status(warehouse)["wall_s"] is None  # not finished yet
    rows.save_run_end(warehouse, "completed", 110.0, stamp, "4 built")
    found = rows.status(warehouse)
    assert (found["wall_s"], found["orchestration_share"]) == (10.0, 0.5)


def test_a_run_that_found_everything_done_does_not_count_as_work(warehouse, stamp):
    for run_id, start, stages in (("run_1", 100.0, ["mine"]), ("run_2", 200.0, ["discover", "publish"])):
        marked = replace(stamp, run_id=run_id)
        rows.save_run(warehouse, "expand", {}, start, marked)
        for stage in stages:
            rows.save_stage_run(warehouse, StageRun(stage=stage, subject_id="s", started_at=start + 1,
                                                    finished_at=start + 2), marked)  # fmt: skip
        rows.save_run_end(warehouse, "completed", start + 4, marked)
    assert (rows.status(warehouse)["wall_s"], rows.status(warehouse)["orchestration_share"]) == (4.0, 0.75)
    assert [row["run_id"] for row in warehouse.rows("runs")] == ["run_2", "run_1"]


def test_an_accepted_round_is_the_current_environment(filled_warehouse, stamp, samples, environment):
    accepted, _ = samples.rounds(environment)
    child = environment.model_copy(update={"id": accepted.environment_id, "version": 2, "parent_id": environment.id})
    second = later(stamp, 10, "run_2")
    rows.save_round(filled_warehouse, environment.theme_id, accepted, Guideline(), child, [], [], second)
    rows.save_tools(filled_warehouse, child.id, "s", samples.tools(), [], [], [], [], samples.measures, [], second)
    rows.save_run_environments(filled_warehouse, {environment.theme_id: child.id}, second)
    versions = filled_warehouse.rows("rounds", environment="bakery")
    assert [(row["version"], row["environment_id"]) for row in versions] == [(1, environment.id), (2, child.id)]
    assert versions[1]["additions"] == accepted.additions
    assert rows.load_environment(filled_warehouse, child.id) == child
    assert rows.load_measures(filled_warehouse, child.id) == samples.measures
    assert next(row["id"] for row in filled_warehouse.rows("lineage", id=child.id)) == environment.id
    kept = next(row for row in filled_warehouse.rows("funnel") if row["stage"] == "complexify")
    assert (kept["kept"], kept["rejected"]) == (1, 1), "each round over a parent is a decision of its own"


def test_a_refused_round_leaves_no_environment(filled_warehouse, stamp, samples, environment):
    _, refused = samples.rounds(environment)
    child = environment.model_copy(update={"id": refused.environment_id, "version": 2, "parent_id": environment.id})
    rows.save_round(filled_warehouse, environment.theme_id, refused, Guideline(), child, [], [], stamp)
    assert len(filled_warehouse.rows("environments")) == 1
    with pytest.raises(UsageError, match="no environment"):
        rows.load_environment(filled_warehouse, child.id)
    (told,) = filled_warehouse.rows("refused_rounds")
    assert (told["number"], told["reason"]) == (2, "adds_nothing")


def test_an_environment_whose_tools_were_never_judged_waits_again(warehouse, stamp, samples):
    theme, environment = samples.theme(), samples.environment(samples.theme())
    rows.save_themes(warehouse, [theme], [], [], stamp)
    rows.save_backlog(warehouse, [theme], None, "discovered in a test", stamp)
    rows.save_environment(warehouse, environment, [], [], stamp)
    rows.save_run_environments(warehouse, {theme.id: environment.id}, stamp)
    (waiting,) = warehouse.rows("backlog")
    assert (waiting["theme_name"], waiting["wants"]) == (theme.name, "environment")


def test_the_backlog_holds_what_waits_and_what_may_grow(filled_warehouse, stamp, samples, environment):
    waiting = filled_warehouse.rows("backlog")
    assert [(row["theme_name"], row["wants"], row["library"]) for row in waiting] == [("kiosk", "environment", "/data")]
    rows.save_backlog(filled_warehouse, [samples.theme()], None, "again", stamp)
    wants = {row["theme_name"]: (row["wants"], row["rounds"]) for row in filled_warehouse.rows("backlog", rounds=3)}
    assert wants == {"kiosk": ("environment", 0), "bakery": ("version", 2)}
    assert [row["theme_name"] for row in filled_warehouse.rows("backlog", rounds=2)] == ["kiosk"]
    (found,) = rows.load_discovered(filled_warehouse, ["kiosk"])
    assert found == (samples.theme("kiosk"), "/data")


def test_a_persons_word_on_a_class_counts(filled_warehouse, stamp, samples):
    classes = {row["level1"]: row["themes"] for row in filled_warehouse.rows("classes")}
    assert classes == {"Document & Design": 1, "Finance & Markets": 1}
    figures = rows.status(filled_warehouse)
    assert figures["classes"]["Finance & Markets"] == 1 and len(figures["classes"]) == 20
    assert figures["themes"] == {"in": 2, "merged": 1, "rejected": 0}
    assert figures["formats"] == {"md": 1, "sqlite": 1}
