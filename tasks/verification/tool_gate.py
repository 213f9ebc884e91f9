"""The tool gate: what an author's tools must survive to be kept (paper section 3.2; DESIGN.md "the factory disposes").

In this order: the module compiles; each function's signature is its input schema; the module loads
in the sandbox; each unit test runs on a disposable copy of the world; results obey the output
schema; what is annotated read-only leaves the state unchanged. Author code is parsed here, and
run only in the sandbox.
"""

from __future__ import annotations

import ast
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.records import Rejection
from schemas.tools import TestOutcome, Tool, ToolModule, ToolTest
from tasks.verification.trials import Trial, try_tools
from tasks.world.bundle import FILES, Bundle, walk_files, write_bundle
from tasks.world.errors import ToolsNotLoaded
from tasks.world.session import World

TOOL_REASONS = (
    "does_not_compile",
    "signature_differs",
    "does_not_load",
    "read_changes_state",
    "no_tests",
    "output_violates_schema",
    "tests_failed",
)
"""Why a tool is refused; the first that applies is given."""
ENVIRONMENT_REASONS = ("no_valid_tool", "no_valid_test")
DETAIL_CHARACTERS = 600


@dataclass(frozen=True)
class ToolReport:
    """What the gate decided: kept tools in the module's order, a rejection for each other one, every test's outcome."""

    kept: list[Tool]
    rejections: list[Rejection]
    outcomes: list[TestOutcome]
    environment_id: str = ""


def judge_tools(
    world: World,
    environment: Environment,
    module: ToolModule,
    tests: list[ToolTest],
    world_db: Path,
    pass_rate: float,
) -> ToolReport:
    """Judge every tool of `module`: keep it iff more than `pass_rate` of its tests pass and no rule is broken.

    `world_db` is the environment's database; it is copied, never written. Tests of tools that
    never run (not compiled, not loaded) have failed outcomes that say so.
    """
    refusals = _static_refusals(module)
    sound = [tool for tool in module.tools if tool.name not in refusals]
    trials: dict[str, Trial] = {}
    if sound:
        with tempfile.TemporaryDirectory(prefix="gate-", dir=world.folder) as folder:
            bundle = _bundle(Path(folder), environment, module.source, sound, world_db)
            fault = _load_fault(world, bundle)
            if fault:
                refusals |= {tool.name: ("does_not_load", fault) for tool in sound}
            else:
                trials = try_tools(world, bundle, sound, tests)
    return _report(environment.id, module, tests, refusals, trials, pass_rate)


def environment_rejection(report: ToolReport) -> Rejection | None:
    """Refuse an environment that has no kept tool, or no passed test of a kept tool; None: it is accepted."""
    kept = {tool.name for tool in report.kept}
    passed = [o for o in report.outcomes if o.passed and o.tool in kept]
    if kept and passed:
        return None
    reason = "no_valid_test" if kept else "no_valid_tool"
    detail = f"{len(kept)} tools kept, {len(report.rejections)} rejected, {len(passed)} tests of kept tools passed"
    return _rejection("environment", report.environment_id, report.environment_id, reason, detail)


# --- Before anything runs -----------------------------------------------------------------


def _static_refusals(module: ToolModule) -> dict[str, tuple[str, str]]:
    """Return tool name → (reason, detail) for what the source alone disproves."""
    try:
        tree = ast.parse(module.source)
        compile(tree, "tools.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {tool.name: ("does_not_compile", f"{type(error).__name__}: {error}") for tool in module.tools}
    names = Counter(tool.name for tool in module.tools)
    refusals = {}
    for tool in module.tools:
        difference = "two tools of this name" if names[tool.name] > 1 else signature_difference(tree, tool)
        if difference:
            refusals[tool.name] = ("signature_differs", difference)
    return refusals


def signature_difference(tree: ast.Module, tool: Tool) -> str:
    """Return how the function called like `tool` differs from its input schema; "" when it does not.

    The schema's properties must be the function's parameters, and its required ones those without
    a default. Read from the source: nothing is executed.
    """
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == tool.name]
    if len(functions) != 1:
        return f"{len(functions)} top-level functions called {tool.name}"
    arguments = functions[0].args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        return "has *args, **kwargs or positional-only parameters"
    positional = [a.arg for a in arguments.args]
    without_default = set(positional[: len(positional) - len(arguments.defaults)])
    without_default |= {a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None}
    parameters = set(positional) | {a.arg for a in arguments.kwonlyargs}
    properties = set(tool.input_schema.get("properties", {}))
    required = set(tool.input_schema.get("required", []))
    if parameters != properties:
        return f"parameters {sorted(parameters)} but properties {sorted(properties)}"
    if without_default != required:
        return f"parameters without default {sorted(without_default)} but required {sorted(required)}"
    return ""


# --- In the sandbox -----------------------------------------------------------------------


def _bundle(folder: Path, environment: Environment, source: str, tools: Sequence[Tool], world_db: Path) -> Bundle:
    """Write what the sandbox needs of an unproven module; tools not in `tools` cannot be called.

    Other files of the world, `files/` beside its database, come along.
    """
    home = world_db.parent
    files = {name.removeprefix(f"{FILES}/"): (home / name).read_bytes() for name in walk_files(home)}
    return write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(),
        tools_source=source,
        tools=[tool.model_dump() for tool in tools],
        world_db=world_db,
        files=files,
    )


def _load_fault(world: World, bundle: Bundle) -> str:
    """Return why the bundle's module does not load in the sandbox; "" when it does."""
    try:
        world.open(bundle, seed="load").close()
    except ToolsNotLoaded as error:
        return str(error.__cause__ or error)
    return ""


# --- The verdict --------------------------------------------------------------------------


def _report(
    environment_id: str,
    module: ToolModule,
    tests: Sequence[ToolTest],
    refusals: dict[str, tuple[str, str]],
    trials: dict[str, Trial],
    pass_rate: float,
) -> ToolReport:
    kept, rejections, outcomes = [], [], []
    for tool in module.tools:
        trial = trials.get(tool.name)
        refusal = refusals.get(tool.name) if trial is None else _refusal(trial, pass_rate)
        if refusal is None:
            kept.append(tool)
        else:
            rejections.append(_rejection("tool", tool.name, environment_id, *refusal))
        outcomes += trial.outcomes if trial else _unrun(tool, tests, refusal)
    return ToolReport(kept, rejections, outcomes, environment_id)


def _refusal(trial: Trial, pass_rate: float) -> tuple[str, str] | None:
    """Return (reason, detail) for a tool that ran; None when it is kept."""
    if trial.changed:
        return "read_changes_state", trial.changed
    total = len(trial.outcomes)
    if not total:
        return "no_tests", "no test names this tool"
    failed = [outcome for outcome in trial.outcomes if not outcome.passed]
    if total - len(failed) > pass_rate * total:
        return None
    detail = f"{total - len(failed)} of {total} tests passed, more than {pass_rate:.0%} wanted. "
    detail += "; ".join(f"{outcome.test_id}: {outcome.detail}" for outcome in failed)
    breaks_schema = total - len(trial.unschematic) <= pass_rate * total
    return "output_violates_schema" if breaks_schema else "tests_failed", detail


def _unrun(tool: Tool, tests: Iterable[ToolTest], refusal: tuple[str, str] | None) -> list[TestOutcome]:
    reason = refusal[0] if refusal else "not run"
    return [
        TestOutcome(test_id=t.id, tool=tool.name, passed=False, detail=reason) for t in tests if t.tool == tool.name
    ]


def _rejection(kind: Any, subject: str, environment_id: str, reason: str, detail: str) -> Rejection:
    short = detail if len(detail) <= DETAIL_CHARACTERS else f"{detail[:DETAIL_CHARACTERS]}…"
    return Rejection(
        id=content_id("rejection", "build_tools", kind, subject, environment_id, reason, short),
        stage="build_tools",
        subject_kind=kind,
        subject_id=subject,
        environment_id=environment_id,
        reason=reason,
        detail=short,
    )
