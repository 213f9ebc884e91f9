"""The research agent: a model decides what to search and browse and when it is enough; rules are the floor.

It looks at pages through the same inquiry as the rules' loop, and what it ends with is ruled on by code. Where nothing
of that is kept, because the model fails or its budget is spent, the rules go on with what was gathered.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from schemas.settings import SearchSettings
from schemas.themes import Theme
from schemas.versions import PROMPTS
from tasks.authors.llm.model import Model
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.authors.llm.research.citations import Ruling, rule_on
from tasks.authors.llm.research.proposals import Findings
from tasks.authors.llm.research.tools import Desk
from tasks.authors.llm.research.workspace import Workspace
from tasks.mining.research.coverage import judge_coverage, uncovered
from tasks.mining.research.harvest import Harvest
from tasks.mining.research.inquiry import Inquiry, Means, conduct_inquiry
from tasks.mining.research.loop import go_round
from tasks.world.session import World

ENDED = "the model has enough"


def research_with(
    model: Model,
    theme: Theme,
    search: SearchSettings,
    folder: Path,
    *,
    sandbox: World,
    turns: int,
    **means: Unpack[Means],
) -> Harvest:
    """Let a model search for a theme's data in at most `turns` turns; return what was found, as `conduct_inquiry` does.

    Raises UsageError for a setting that is missing, ModelUnavailable.
    """
    steer = partial(_steer, model, sandbox, turns)
    return conduct_inquiry(theme, search, folder, steer, (model.name, PROMPTS, str(turns)), **means)


def _steer(model: Model, sandbox: World, turns: int, inquiry: Inquiry) -> Harvest:
    """Let the model steer an inquiry, and the rules where nothing that it ends with is kept."""
    if not inquiry.providers:
        return go_round(inquiry)
    workspace = Workspace(inquiry.folder / "workspace")
    system = render(__package__, "system.jinja")
    finishing = _Finishing(model, inquiry, workspace, system)
    tools = Desk(inquiry, workspace, sandbox, system).tools()
    meter = inquiry.gatherer.retriever.meter
    meter.stop()  # the search's seconds are those of its tools: a slow model may think as long as its own budget lasts
    episode = react(model, system, _task(inquiry.theme), tools, Findings, turns=turns, accept=finishing)
    meter.go_on()
    final = episode.ended != "budget_spent"
    if finishing.ruling.kept:
        finishing.report_kept()
        return replace(inquiry.harvest(ENDED, finishing.ruling.tables), author="llm", final=final)
    inquiry.gatherer.note("", "model", "", "failed", f"no table is kept; {episode.ended}: {episode.detail}"[:300])
    return replace(go_round(inquiry), final=final)


class _Finishing:
    """Rules on the model's answers. The first one goes back when something is against it; of a later one the rest is kept."""

    def __init__(self, model: Model, inquiry: Inquiry, workspace: Workspace, prompt: str) -> None:
        self._model, self._inquiry, self._workspace, self._prompt = model, inquiry, workspace, prompt
        self._answers = 0
        self.ruling = Ruling((), ())

    def __call__(self, findings: Findings) -> str | None:
        """Return what is against an answer, None when it is accepted."""
        self._answers += 1
        ruling = rule_on(findings, self._inquiry, self._workspace, self._prompt)
        if ruling.kept or not self.ruling.kept:
            self.ruling = ruling
        for refused in ruling.refused:
            report(self._model, "table", refused.table, refused.gate, refused.why)
        objections = [f"{refused.table}: {refused.why}" for refused in ruling.refused]
        if not findings.tables:
            objections.append("no table is cited. Search and browse until there is one")
        missing = uncovered(self._inquiry.theme, judge_coverage(self._inquiry.theme, ruling.tables))
        objections += [f"{entity} still lacks {', '.join(fields)}" for entity, fields in missing.items()]
        if not objections or (self._answers > 1 and ruling.kept):
            return None
        return "\n".join(objections)

    def report_kept(self) -> None:
        """Report the tables that go into the harvest."""
        for table, line in self.ruling.kept:
            report(self._model, "table", table.name, detail=line)


def _task(theme: Theme) -> str:
    """Return the first message: the topic, its entities, and where to begin, all of it fenced."""
    lines = [theme.title, theme.description]
    for entity in theme.entities:
        fields = ", ".join(field.words for field in entity.fields)
        lines.append(f"Entity {entity.name}: {fields}. {entity.description}".strip())
    if theme.sites:
        lines.append(f"Begin at: {', '.join(theme.sites)}")
    return render(__package__, "task.jinja", topic=fence("\n".join(lines), "topic"), site=not theme.entities)
