"""The source of one tool, written by a model and repaired until it passes its tests in the sandbox."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.environments import Environment
from schemas.tools import ToolModule, ToolTest
from tasks.authors.base import Workbench
from tasks.authors.llm.coder.designs import Spec
from tasks.authors.llm.coder.proposals import Source
from tasks.authors.llm.coder.queries import Queries
from tasks.authors.llm.coder.source import IMPORTABLE, joined, source_problem, unfenced
from tasks.authors.llm.coder.suites import Suite
from tasks.authors.llm.coder.tools import query_tool
from tasks.authors.llm.coder.verdicts import answer_of
from tasks.authors.llm.model import Model
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.react.prompts import render
from tasks.verification.tool_gate import ToolReport, judge_tools

GATE = "tool_gate"
EVERY_TEST = 0.999
"""A tool is kept if more than this share of its tests pass: all of them, as no suite has a thousand."""
HANGS = "timed_out"
"""What a call that did not end is answered with; it would not end in the other tests either."""
LONGEST_LINE = 110
MOST_FAILURES = 4
LONGEST_FAILURE = 400


@dataclass(frozen=True)
class Trials:
    """Where one tool's source is tried: the module that it joins, the world, and its tests."""

    spec: Spec
    suite: Suite
    module: ToolModule
    environment: Environment
    bench: Workbench

    def problem(self, source: str) -> str | None:
        """Return why a source is not kept, in words that the coder can act on; None when it is.

        A failed call that the tester proposed is shown with what was expected; of the drawn ones, whose expected values
        a source could be fitted to, only the arguments.
        """
        fault = source_problem(source, self.spec.tool, self.module.source)
        if fault:
            return fault
        candidate = ToolModule(source=joined(self.module.source, source), tools=[self.spec.tool])
        report = self._judge(candidate, [next(test for test in self.suite.tests if test.case == "works")])
        if not any(HANGS in outcome.detail for outcome in report.outcomes):
            report = self._judge(candidate, self.suite.tests)
        return "\n".join(self._failures(report)) if report.rejections else None

    def _judge(self, candidate: ToolModule, tests: list[ToolTest]) -> ToolReport:
        bench = self.bench
        return judge_tools(bench.sandbox, self.environment, candidate, tests, bench.database, EVERY_TEST)

    def _failures(self, report: ToolReport) -> Iterator[str]:
        rejection = report.rejections[0]
        failed = {outcome.test_id: outcome.detail for outcome in report.outcomes if not outcome.passed}
        yield rejection.reason
        if rejection.reason not in ("tests_failed", "output_violates_schema"):
            yield rejection.detail[:LONGEST_FAILURE]
            return
        for test in [test for test in self.suite.shown if test.id in failed][:MOST_FAILURES]:
            yield f"called with {json.dumps(test.arguments, ensure_ascii=False)}: {failed[test.id][:LONGEST_FAILURE]}"
        held = [test for test in self.suite.held if test.id in failed]
        if held:
            yield f"{len(held)} of {len(self.suite.held)} further calls fail too, for example"
            yield json.dumps(held[0].arguments, ensure_ascii=False)


def write_tool(model: Model, trials: Trials, queries: Queries, tables: str, turns: int) -> ToolModule:
    """Return the module with one tool more, that a model wrote and repaired in at most `turns` turns.

    `tables` is the prompt's description of the world. Raises NotKept when no source survives, BudgetSpent and
    ModelUnavailable as the model does.
    """

    def accept(proposal: Source) -> str | None:
        return trials.problem(unfenced(proposal.source))

    spec, module = trials.spec, trials.module
    helpers = "\n".join(offered(module.source))
    task = render(__package__, "source.jinja", spec=spec, tables=tables, helpers=fence(helpers, "the module"))
    system = render(__package__, "source_system.jinja", importable=sorted(IMPORTABLE))
    episode = react(model, system, task, [query_tool(queries)], Source, turns=turns, accept=accept)
    source = unfenced(answer_of(episode, GATE).source)
    return ToolModule(source=joined(module.source, source), tools=[*module.tools, spec.tool])


def offered(module: str) -> list[str]:
    """Return what a module has for its tools to use, a line each: plain functions and constants before the first tool.

    What takes or is made of the module's own classes is left out: it serves the tools that were rendered with it.
    """
    lines: list[tuple[ast.AST, str]] = []
    for node in ast.parse(module).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            break
        if isinstance(node, ast.FunctionDef):
            said = (ast.get_docstring(node) or "").partition("\n")[0]
            result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            lines.append((node.args, f"def {node.name}({ast.unparse(node.args)}){result}: {said}"))
        elif isinstance(node, ast.Assign):
            lines.append((node.value, ast.unparse(node)[:LONGEST_LINE]))
    return [line for used, line in lines if not any(_is_private(name) for name in ast.walk(used))]


def _is_private(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith("_")
