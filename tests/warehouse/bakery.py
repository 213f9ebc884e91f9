"""Small hand-made things to store: one theme, one environment with two tools, two tasks."""

from __future__ import annotations

from schemas.answers import AnswerField
from schemas.documents import Document
from schemas.environments import Environment, StateContract
from schemas.identity import content_id, sha256_text
from schemas.intents import IntentCoverage
from schemas.library import TrailStep
from schemas.models import Contribution, ModelCall
from schemas.operations import Operations
from schemas.profiles import ColumnProfile, ForeignKey, SamplingNote, TableProfile, WorldProfile
from schemas.programs import Call, Const, Program, Ref
from schemas.proofs import Proof
from schemas.quality import QualityResult
from schemas.records import Rejection
from schemas.rounds import Measures, Round
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep
from schemas.themes import Source, TableRecipe, Theme
from schemas.tools import Expectation, TestOutcome, Tool, ToolCall, ToolEdge, ToolTest


def build_theme(name: str = "bakery") -> Theme:
    return Theme(
        name=name,
        title=f"The {name}",
        description="Loaves and who bakes them",
        package="loaves",
        version="1.2.3",
        licence="CC0",
        tables=[TableRecipe(name="loaves", file="loaves.csv"), TableRecipe(name="bakers", file="bakers.csv")],
    )


def build_sources(theme: Theme) -> list[Source]:
    return [
        Source(
            id=content_id("source", theme.id, file),
            theme_id=theme.id,
            package="loaves",
            version="1.2.3",
            file=file,
            licence="CC0",
            sha256=sha256_text(f"{theme.name}/{file}"),
            bytes=120,
            retrieved_at="2026-01-02T03:04:05",
        )
        for file in ("bakers.csv", "loaves.csv")
    ]


def _column(name: str, role: str, type_: str = "integer", **more: object) -> ColumnProfile:
    columns = {"nullable": False, "distinct": 3, "words": name.replace("_", " "), **more}
    return ColumnProfile(name=name, type=type_, role=role, **columns)


def build_environment(theme: Theme, seed: int = 0) -> Environment:
    bakers = TableProfile(
        name="bakers",
        singular="baker",
        plural="bakers",
        kind="reference",
        rows=3,
        key="baker_id",
        key_is_opaque=True,
        label="name",
        columns=[_column("baker_id", "key"), _column("name", "label", "text", categories=["Ada", "Bo", "Cy"])],
    )
    loaves = TableProfile(
        name="loaves",
        singular="loaf",
        plural="loaves",
        kind="event",
        rows=9,
        key="loaf_id",
        key_is_opaque=False,
        columns=[
            _column("loaf_id", "key"),
            _column("baker_id", "reference"),
            _column("weight", "measure", "number", unit="grams", minimum=0.5, maximum=900.0),
        ],
        foreign_keys=[ForeignKey(column="baker_id", to_table="bakers", to_column="baker_id", coverage=0.75)],
    )
    sampling = [SamplingNote(table="loaves", rows_read=12, rows_not_sampled=3, rows_kept=9)]
    return Environment(
        id=content_id("environment", theme.id, seed),
        theme_id=theme.id,
        theme_name=theme.name,
        author="rules",
        seed=seed,
        world_sha256="1" * 64,
        world_bytes=4096,
        profile=WorldProfile(tables=[bakers, loaves], sampling=sampling),
        contract=StateContract(writable=["bookings"], clock_columns={"bookings": ["booked_at"]}),
        checks={"loaves": ["weight > 0"]},
        operations=[
            Operations(archetype="bookings", host="loaves", host_key="loaf_id", tables={"bookings": "bookings"})
        ],
        documents=[
            Document(
                path="rules/house.md", format="md", title="House rules", about="a", origin="written", text="# House"
            )
        ],
        clock_start="2026-01-05T09:00:00",
    )


def build_tools() -> list[Tool]:
    schema = {"type": "object", "properties": {"loaf_id": {"type": "integer", "x-domain": "loaves.loaf_id"}}}
    return [
        Tool(
            name="search_loaves",
            description="Search loaves.",
            operation="search",
            read_only=True,
            input_schema={"type": "object", "properties": {}},
            output_schema={"type": "object", "properties": {"items": {"type": "array", "items": schema}}},
            intent={"table": "loaves", "filters": {}},
        ),
        Tool(
            name="get_loaf",
            description="Get one loaf.",
            operation="get",
            read_only=True,
            input_schema={**schema, "required": ["loaf_id"]},
            output_schema=schema,
            intent={"table": "loaves"},
        ),
    ]


def build_tests() -> list[ToolTest]:
    return [
        ToolTest(
            id=f"test_{case}",
            tool="get_loaf",
            name=f"get_loaf {case}",
            case=case,
            setup=[ToolCall(tool="search_loaves")],
            arguments={"loaf_id": 1},
            expect=Expectation(result={"weight": 0.5, "name": None}, changes={}),
        )
        for case in ("works", "edge", "refuses")
    ]


def build_outcomes() -> list[TestOutcome]:
    return [
        TestOutcome(test_id="test_works", tool="get_loaf", passed=True),
        TestOutcome(test_id="test_edge", tool="get_loaf", passed=False, detail="weight is 1, expected 0.5"),
    ]


def build_edges() -> list[ToolEdge]:
    return [
        ToolEdge(source="get_loaf", target="search_loaves", kind="independent", weight=1),
        ToolEdge(source="search_loaves", target="get_loaf", kind="strong", weight=3, parameter="loaf_id",
                 domain="loaves.loaf_id"),
    ]  # fmt: skip


def build_task(environment: Environment, number: int, kind: str = "graph") -> tuple[AgentTask, GoldRun]:
    program = Program(
        body=(Call(bind="loaf", tool="get_loaf", arguments={"loaf_id": Const(value=number)}),),
        answer={"weight": Ref(name="loaf", path=("weight",))},
    )
    change = {"bookings": {"inserted": [{"booking_id": 1}], "updated": [], "deleted": []}} if number % 2 else {}
    task_id = content_id("task", environment.id, number, kind)
    task = AgentTask(
        id=task_id,
        environment_id=environment.id,
        kind=kind,
        shape="one_step",
        author="rules",
        language="en",
        request=f"How heavy is loaf number {number}?",
        answer_fields=[AnswerField(name="weight", type="number", description="grams", tolerance=0.01)],
        expected_answer={"weight": 1.0},
        expected_change=change,
        requires_change=bool(change),
        program=program,
        solution="def solve(call):\n    return {}\n",
        checks=[
            Check(id="keys", type="answer_keys", points=1, spec={"fields": ["weight"]}),
            Check(id="weight", type="answer_field", points=2.5, spec={"field": "weight", "expected": 1.0}),
            Check(
                id="rubric.weight",
                kind="judge",
                type="statement",
                points=100,
                spec={"field": "weight", "statement": "It is 1."},
            ),
        ],
        gold_calls=2,
        unique_tools=2,
        level_asked=2,
        level=1,
        assurance="self_consistent",
        traits=["changes"] if change else ["recovery"],
        seed=number,
    )
    steps = [
        GoldStep(index=0, tool="search_loaves", arguments={}, observation={"items": []}, observation_sha256="a" * 64,
                 read_only=True),
        GoldStep(index=1, tool="get_loaf", arguments={"loaf_id": number}, observation=None,
                 observation_sha256="b" * 64, read_only=True),
    ]  # fmt: skip
    return task, GoldRun(task_id=task_id, steps=steps, answer={"weight": 1.0}, state_id="s" * 64, state_diff=change)


def build_rejection(stage: str, kind: str, number: int, reason: str = "replay_differs", **more: object) -> Rejection:
    return Rejection(
        id=content_id("rejection", stage, kind, number, reason),
        stage=stage,
        subject_kind=kind,
        subject_id=f"{kind}_{number}",
        reason=reason,
        detail=f"{kind} {number} was refused",
        payload={"number": number},
    ).model_copy(update=more)


def build_step(theme: Theme) -> TrailStep:
    return TrailStep(
        theme_id=theme.id,
        position=0,
        query="",
        file=f"{theme.name}/loaves.csv",
        outcome="taken",
        tables=["loaves"],
        why="own",
    )


def build_results() -> list[QualityResult]:
    """One expectation that held, one warning and one critical failure."""
    return [
        QualityResult(
            suite="table",
            table="loaves",
            expectation=name,
            severity=severity,
            passed=passed,
            checked=4,
            unexpected=0 if passed else 1,
        )
        for name, severity, passed in (
            ("unique", "critical", True),
            ("not_constant", "warning", False),
            ("not_null", "critical", False),
        )
    ]


MEASURES = Measures(
    tables=2, fk_depth=1, guarded_writes=0, max_chain=2, formats=("md", "sqlite"), tools=2, simple_tools=2, rich_tools=0
)
INTENTS = [IntentCoverage(operation="find-loaf", verb="search", entity="loaves", tool="search_loaves", covered=True)]


PROOF = Proof(
    mutants=30,
    killed=28,
    equivalent=2,
    survived=0,
    heldout_mutants=9,
    heldout_killed=9,
    heldout_equivalent=0,
    heldout_survived=0,
    variants=8,
    variants_passed=8,
    steps=300,
    cpu_s=0.25,
)


def build_calls() -> list[ModelCall]:
    """Three calls for the bakery, one of them from the cache, one for a theme that is not stored, one that failed."""
    values = {"run_id": "run_1", "model": "small", "mode": "text", "prompt_sha": "p", "request": {"n": 1}}
    coder = {"role": "coder", "subject": build_theme().id, "cost": 0.25, **values}
    taxonomy = {"role": "taxonomy", "subject": "theme_gone", "cost": None, **values}
    sent = {"attempts": 1, "cached": False, "tokens_in": 100, "tokens_out": 50, "latency_s": 1.5, "finished_at": 100.0}
    stored = {**sent, "attempts": 0, "cached": True, "cost": 0.0}
    return [
        ModelCall(id="call_1", response="{}", outcome="parsed", **coder, **sent),
        ModelCall(id="call_2", response="{", outcome="refused", reason="truncated", **coder, **sent),
        ModelCall(id="call_3", response="{}", outcome="parsed", **{**coder, **stored}),
        ModelCall(id="call_4", response="{}", outcome="parsed", **taxonomy, **sent),
        ModelCall(
            id="call_5", outcome="error", reason="timeout", **taxonomy, **{**sent, "tokens_in": 0, "tokens_out": 0}
        ),
    ]


def build_contributions() -> list[tuple[str, str, Contribution]]:
    """One tool kept and three refused, by two gates."""
    decided = [("kept", ""), ("refused", "sandbox"), ("refused", "tests"), ("refused", "sandbox")]
    place = {"role": "coder", "subject": build_theme().id, "kind": "tool"}
    return [
        (f"contribution_{number}", "run_1", Contribution(name=f"tool_{number}", outcome=outcome, gate=gate, **place))
        for number, (outcome, gate) in enumerate(decided)
    ]


def build_rounds(environment: Environment) -> list[Round]:
    """The round that made the environment's parent of it, and one over it that was refused."""
    grown = MEASURES.model_copy(update={"tables": 3})
    accepted = Round(
        parent_id=environment.id,
        environment_id=f"{environment.id}_2",
        number=1,
        additions=["operations: ratings over loaves"],
        before=MEASURES,
        after=grown,
    )
    refused = accepted.model_copy(update={"environment_id": f"{environment.id}_3", "number": 2, "after": MEASURES})
    return [accepted, refused.model_copy(update={"refusal": "adds_nothing", "detail": "tables 2"})]


def older_rows(table: str) -> str:
    """Return what older code would find in a table of the attached warehouse `filled`: environments described inline."""
    if table != "environments":
        return f"filled.{table}"
    return """(
        select environments.*, described.profile, described.operations, described.documents
        from filled.environments join filled.environment_descriptions as described
        on described.environment_id = environments.id
    )"""
