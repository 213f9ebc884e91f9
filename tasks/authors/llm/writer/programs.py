"""Programmatic tasks of a model's own: request, solution and verifier, debugged by running them.

The solution is read into a typed program, so that what runs is what the factory compiled. A proposal is accepted when
the gate's checks of words and run have nothing against it and the verifier agrees with the checks; else the reason
goes back to the model.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import Program
from schemas.tasks import Language, TaskDraft
from tasks.authors.base import Setting
from tasks.authors.decompiler import UnsupportedPython, read_program
from tasks.authors.llm.model import Model, ToolSpec
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.loop import AgentTool, ToolFault, react
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.authors.llm.writer.briefing import brief
from tasks.authors.llm.writer.proposals import ProposedField, ProposedTask
from tasks.authors.llm.writer.trials import explained, misfit, stated, try_out, words_fault
from tasks.authors.llm.writer.verifiers import disagreement
from tasks.verification.execution import task_id
from tasks.verification.lint import calls_of
from tasks.verification.refusals import Fault, Refused

SHAPE = "written"
FEWEST_CALLS = 7
"""Calls that a task is asked to need; the gate has the last word."""
_CHINESE_EVERY = 5
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_DECIMALS = 2
"""Of a number whose decimals are not said."""


def write_programs(model: Model, setting: Setting, count: int, turns: int, seed: int) -> Iterator[TaskDraft]:
    """Yield the tasks that came of `count` conversations of at most `turns` turns, until the budget is spent.

    Raises ModelUnavailable.
    """
    for number in range(count):
        rng = random.Random(f"{setting.environment.id}/written/{seed}/{number}")
        desk = _Desk(setting, "zh" if number % _CHINESE_EVERY == _CHINESE_EVERY - 1 else "en")
        system = render(__package__, "program_system.jinja", language=desk.language)
        told = brief(setting, rng)
        task = render(
            __package__,
            "program.jinja",
            language=desk.language,
            fewest=FEWEST_CALLS,
            tables=fence("\n".join(told.tables), "tables"),
            tools=fence("\n".join(told.tools), "tools", most=12_000),
        )
        tools = [desk.trying]
        episode = react(model, system, task, tools, ProposedTask, turns=turns, attempt=number, accept=desk.objection)
        if episode.answer is not None and desk.draft is not None:
            report(model, "task", task_id(setting.environment.id, desk.draft))
            yield desk.draft
        elif episode.ended == "budget_spent":
            return
        else:
            gate, detail = desk.fault or (episode.ended, episode.detail)
            report(model, "task", f"{SHAPE} {number + 1}", gate, " ".join(detail.split())[:200])


class _Desk:
    """Where one task is written: the last proposal as a draft, or what was wrong with it."""

    def __init__(self, setting: Setting, language: Language) -> None:
        self.language = language
        self.draft: TaskDraft | None = None
        self.fault: Fault | None = None
        self._setting = setting
        parameters = {"tool": {"type": "string"}, "arguments": {"type": "object"}}
        spec = ToolSpec(
            "try_tool",
            "Call one of the environment's tools on a copy that is thrown away, and see what it returns.",
            {
                "type": "object",
                "properties": parameters,
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            },
        )
        self.trying = AgentTool(spec, self._try)

    def _try(self, arguments: dict[str, Any]) -> str:
        tool, given = arguments.get("tool"), arguments.get("arguments", {})
        if tool not in {each.name for each in self._setting.tools} or not isinstance(given, dict):
            raise ToolFault("`tool` is the name of a tool that was described, `arguments` an object")
        with self._setting.world.open(self._setting.bundle, "try_tool") as session:
            return json.dumps(session.call(tool, given), ensure_ascii=False)

    def objection(self, proposed: ProposedTask) -> str | None:
        """Return why a proposal is not accepted; None when it is, and `draft` holds it."""
        try:
            self.draft, self.fault = self._accepted(proposed), None
        except Refused as refused:
            self.draft, self.fault = None, (refused.reason, refused.detail)
            return explained(self.fault)
        return None

    def _accepted(self, proposed: ProposedTask) -> TaskDraft:
        try:
            program = read_program(proposed.solution)
        except UnsupportedPython as unsupported:
            raise Refused("unsupported_python", str(unsupported)) from unsupported
        draft = self._draft(proposed, program)
        self._require_known(draft)
        trial = try_out(draft, self._setting)
        for field in draft.answer_fields:
            if wrong := misfit(field, trial.answer[field.name]):
                raise Refused("wrong_type", wrong)
        if trial.gold.calls < FEWEST_CALLS:
            raise Refused("too_few_calls", f"{trial.gold.calls} of {FEWEST_CALLS}")
        if fault := words_fault(draft, trial, self._setting):
            raise Refused(*fault)
        if wrong := disagreement(proposed.verifier, draft, trial, self._setting):
            raise Refused("verifier_disagrees", wrong)
        return draft

    def _draft(self, proposed: ProposedTask, program: Program) -> TaskDraft:
        return TaskDraft(
            kind="programmatic",
            shape=SHAPE,
            request=proposed.request.strip(),
            answer_fields=[_field(each) for each in proposed.answer_fields],
            program=program,
            plan=None,
            level=None,
            constants=stated(program, self._setting.tools),
            language=self.language,
            author="llm",
        )

    def _require_known(self, draft: TaskDraft) -> None:
        """Require tools that there are, and the fields that the program answers with."""
        names = [field.name for field in draft.answer_fields]
        if unknown := sorted({c.tool for c in calls_of(draft.program.body)} - {t.name for t in self._setting.tools}):
            raise Refused("unknown_tool", f"there is no tool {unknown[0]}")
        if sorted(names) != sorted(draft.program.answer) or not all(map(_KEY.fullmatch, names)):
            answered = ", ".join(sorted(draft.program.answer))
            raise Refused(
                "other_fields", f"answer_fields and solve's answer must have the same snake_case keys: {answered}"
            )


def _field(proposed: ProposedField) -> AnswerField:
    is_number = "number" in (proposed.type, proposed.item_type)
    decimals = proposed.decimals if proposed.decimals is not None else _DECIMALS
    return AnswerField(
        **proposed.model_dump(include={"name", "type", "item_type", "ordered", "unit"}),
        description=proposed.holds,
        tolerance=10.0**-decimals if is_number else 0.0,
    )
