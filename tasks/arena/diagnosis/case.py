"""A failed attempt as a case: what its checks refused, how its calls align with the gold run, and where it first left it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.diagnosis.alignment import Alignment, align
from tasks.arena.diagnosis.calls import Made, calls_of_attempt, calls_of_gold
from tasks.arena.diagnosis.forms import Form, forms_of
from tasks.arena.diagnosis.needs import names_used, tools_needed
from tasks.arena.diagnosis.observed import Observed

STATE_CHECKS = frozenset({"state_change", "nothing_else"})


@dataclass(frozen=True)
class Case:
    """One failed attempt at a task, with the task's gold run."""

    rollout: Rollout
    task: AgentTask
    gold: Sequence[Made]
    made: Sequence[Made]
    tools: Mapping[str, Tool]
    contract: Mapping[str, Any]

    @classmethod
    def of(
        cls, rollout: Rollout, task: AgentTask, gold: GoldRun, tools: Sequence[Tool], contract: Mapping[str, Any]
    ) -> Case:
        """Take up a failed attempt."""
        by_name = {tool.name: tool for tool in tools}
        return cls(rollout, task, calls_of_gold(gold, by_name), calls_of_attempt(rollout, by_name), by_name, contract)

    @cached_property
    def refused_checks(self) -> set[str]:
        """Types of the checks that did not hold."""
        types = {check.id: check.type for check in self.task.checks}
        return {types[result.check_id] for result in self.rollout.verdict.results if not result.passed}

    @property
    def changed_rightly(self) -> bool:
        """The final state is the expected one."""
        return STATE_CHECKS.isdisjoint(self.refused_checks)

    @cached_property
    def forms(self) -> dict[str, Form]:
        """Whether each field of the answer is right, right in another form, or wrong."""
        return forms_of(self.rollout.answer, self.task.answer_fields, self.task.expected_answer)

    @cached_property
    def wrong(self) -> list[str]:
        """The fields whose value is wrong, whatever its form; a rough one is right only if no call that it needs was missed."""
        rough = [name for name, form in self.forms.items() if form == "rough"]
        wrong = [name for name, form in self.forms.items() if form == "wrong"]
        return wrong + rough if rough and any(map(self._is_missed, self._needed(rough))) else wrong

    @property
    def blank(self) -> list[str]:
        """The fields that the answer leaves out or empty."""
        answer = self.rollout.answer
        return [name for name in self.wrong if not isinstance(answer, dict) or answer.get(name) is None]

    @cached_property
    def alignment(self) -> Alignment:
        """How the attempt's calls align with the gold run's."""
        used = names_used(self.task.program)
        return align(self.gold, self.made, self.tools, self.contract, used, self.changed_rightly)

    @cached_property
    def needed(self) -> list[Made]:
        """The gold calls on which depends what failed: an answer field that is wrong, and where the state is, the writes."""
        return self._needed(self.wrong)

    @cached_property
    def missed(self) -> Made | None:
        """The first of the needed gold calls that the attempt did not reach."""
        return next(filter(self._is_missed, self.needed), None)

    def _needed(self, fields: Sequence[str]) -> list[Made]:
        tools = tools_needed(self.task.program, fields, not self.changed_rightly, self.tools)
        return [call for call in self.alignment.gold if call.tool in tools]

    def _is_missed(self, call: Made) -> bool:
        return call.place not in self.alignment.reached

    @cached_property
    def extra(self) -> Made | None:
        """The attempt's first change that the gold run does not make, where a check minds it."""
        if "nothing_else" not in self.refused_checks:
            return None
        stand_ins = {call.place for gold in self.needed if (call := self.alignment.instead(gold)) is not None}
        return next(
            (
                call
                for call in self.made
                if call.reads is False
                and not call.refused
                and call.place not in stand_ins
                and call.place not in self.alignment.matched
            ),
            None,
        )

    @property
    def is_cut_short(self) -> bool:
        """Calls or tokens ran out."""
        return self.rollout.stop_reason in ("out_of_calls", "out_of_tokens")

    @cached_property
    def seen(self) -> Observed:
        """What the attempt was told."""
        return Observed(self.made)

    @cached_property
    def shown(self) -> Observed:
        """What the gold run was told."""
        return Observed(self.gold)

    def kinds(self, names: Iterable[str]) -> set[str]:
        """Return what values that came under some names may be: the names, and the domains that they have in results."""
        found = set(names)
        return found.union(*(self._domains.get(name, ()) for name in found))

    @cached_property
    def _domains(self) -> dict[str, set[str]]:
        domains: dict[str, set[str]] = {}
        for tool in self.tools.values():
            for name, domain in named_domains(tool.output_schema):
                domains.setdefault(name, set()).add(domain)
        return domains


def named_domains(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of properties at any depth that have a domain, with it."""
    for name, child in schema.get("properties", {}).items():
        if "x-domain" in child:
            yield name, child["x-domain"]
        yield from named_domains(child)
    if isinstance(schema.get("items"), dict):
        yield from named_domains(schema["items"])
