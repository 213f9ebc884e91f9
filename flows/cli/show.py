"""show: one environment, tool, document, task or rollout as a page in the terminal."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from flows.cli.display import print_json, print_page
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError

if TYPE_CHECKING:
    from warehouse.published import Published

MOST_LISTED = 8
"""Candidates and near matches in an error: it stays one line."""
ROLLOUT = "rollout_"
"""What the ids of rollouts begin with: there are too many to list them with all else that can be shown."""
WHOLE = {"profile", "operations", "documents"}
"""Columns of an environment that are models: in JSON they stand beside its facts."""
BY_BEGINNING = {"environment", "task", "rollout"}
"""Kinds of things whose ids a user may begin."""


@dataclass(frozen=True)
class Subject:
    """One thing that can be shown. `id` is None for a refused theme; of a tool or document it is the environment's."""

    kind: Literal["environment", "theme", "tool", "document", "task", "rollout"]
    name: str
    id: str | None
    theme: str

    @property
    def full_name(self) -> str:
        """The name that means this one alone."""
        return f"{self.theme}.{self.name}" if self.kind in ("tool", "document") else self.name


def show(
    what: Annotated[
        str,
        typer.Argument(
            help="A theme, an environment, a tool (or theme.tool), a document's path, a task, a rollout; ids by their beginning."
        ),
    ],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show an environment, a tool, a document, a task or a rollout of the published warehouse as a page."""
    from warehouse.published import Published

    published = Published(settings_of(home).home)
    subject = find(published, what.strip())
    value, page = PAGES[subject.kind](published, subject)
    if as_json:
        print_json({"kind": subject.kind, "theme": subject.theme, **value})
    else:
        print_page(page)


def find(published: Published, what: str) -> Subject:
    """Return what a name or the beginning of an id means; UsageError when it is none, or more than one."""
    subjects = _subjects(published, what)
    exact = [s for s in subjects if what in (s.name, s.full_name)]
    found = exact or [s for s in subjects if s.kind in BY_BEGINNING and what and s.name.startswith(what)]
    by_kind = {s.kind: s for s in found}
    if len(found) == 1 or (exact and "theme" in by_kind):
        return by_kind.get("theme", found[0])
    if not found:
        raise UsageError(_unknown(what, subjects))
    raise UsageError(
        f"{what} could be any of {_listed([s.full_name for s in found])}. Name one: factory show {found[0].full_name}"
    )


def _subjects(published: Published, what: str) -> list[Subject]:
    """Return what can be meant: all but rollouts, or those whose ids begin so."""
    if not what.startswith(ROLLOUT):
        return [Subject(**row) for row in published.rows("page_candidates")]
    found = [Subject(**row) for row in published.rows("page_rollouts", beginning=what)]
    if not found:
        example = 'factory sql "select rollout_id, outcome from attempt_outcomes"'
        raise UsageError(f"no rollout has an id that begins with {what}. Try: {example}")
    return found


def _unknown(what: str, subjects: list[Subject]) -> str:
    """Say what was looked for, what is near, and what to type next."""
    if not subjects:
        return f"no environment, tool, document or task called {what!r}: the warehouse is empty. Run: factory expand"
    names = {name: s.full_name for s in subjects for name in (s.full_name, s.name)}
    near = [names[name] for name in difflib.get_close_matches(what, list(names), n=MOST_LISTED, cutoff=0.6)]
    near += [s.full_name for s in subjects if what and what.lower() in s.name.lower()]
    near = list(dict.fromkeys(near))
    told = f" Near: {_listed(near)}." if near else ""
    example = f"factory show {near[0]}" if near else "factory sql --named environments"
    return f"no theme, environment, tool, document or task is called {what!r} or has an id that begins so.{told} Try: {example}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


def _theme(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    """A theme stands for its current environment; a refused one has a page of its own."""
    if subject.id is not None:
        return _environment(published, subject)
    from tasks.pages.environment import refused_page

    row = next(row for row in published.rows("page_themes") if row["theme_name"] == subject.theme)
    return {"refused": row}, refused_page(row)


def _environment(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    from tasks.pages.environment import environment_page
    from tasks.pages.worlds import GROUPS, read_worlds

    world = read_worlds(published.rows, [str(subject.id)])[0]
    facts = {key: value for key, value in world.environment.items() if key not in WHOLE}
    value = {
        "environment": facts,
        "profile": world.profile.model_dump(mode="json"),
        "operations": [one.model_dump(mode="json") for one in world.operations],
        "documents": [one.model_dump(mode="json", exclude={"text"}) for one in world.documents],
        **{name: getattr(world, name) for name in GROUPS},
    }
    return value, environment_page(world, drawn=False)


def _tool(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    from tasks.pages.tool import tool_page
    from warehouse.loading import load_edges, load_tests, load_tools

    environment = str(subject.id)
    tool = next(tool for tool in load_tools(published, environment) if tool.name == subject.name)
    tests = [pair for pair in load_tests(published, environment) if pair[0].tool == tool.name]
    edges = [edge for edge in load_edges(published, environment) if tool.name in (edge.source, edge.target)]
    value = {
        "environment_id": environment,
        "tool": tool.model_dump(mode="json"),
        "tests": [{**test.model_dump(mode="json"), "passed": o and o.passed} for test, o in tests],
        "edges": [edge.model_dump(mode="json") for edge in edges],
    }
    return value, tool_page(tool, subject.theme, tests, edges)


def _document(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    from tasks.pages.documents import document_page
    from warehouse.loading import load_environment

    documents = load_environment(published, str(subject.id)).documents
    document = next(document for document in documents if document.path == subject.name)
    value = {"environment_id": subject.id, "document": document.model_dump(mode="json")}
    return value, document_page(document, subject.theme)


def _task(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    from tasks.pages.task import task_page
    from warehouse.loading import load_tasks

    task, gold = load_tasks(published, [subject.name])[0]
    value = {"task": task.model_dump(mode="json"), "gold_run": gold.model_dump(mode="json")}
    return value, task_page(task, gold, subject.theme)


def _rollout(published: Published, subject: Subject) -> tuple[dict[str, Any], str]:
    from tasks.pages.rollout import rollout_page
    from warehouse.attempts import load_rollout
    from warehouse.loading import load_tasks

    kept, failure = load_rollout(published, subject.name)
    task, gold = load_tasks(published, [kept.rollout.task_id])[0]
    value = {
        "rollout_id": kept.id,
        "policy_id": kept.policy_id,
        "rollout": kept.rollout.model_dump(mode="json"),
        "failure": failure and failure.model_dump(mode="json"),
    }
    return value, rollout_page(kept, task, gold, subject.theme, failure)


PAGES = {
    "theme": _theme,
    "environment": _environment,
    "tool": _tool,
    "document": _document,
    "task": _task,
    "rollout": _rollout,
}
