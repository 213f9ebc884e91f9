"""A model that behaves well: it knows one small world and answers each role's request about it as a good model would.

What it says is worked out on a ground of the same world in the test's own process. The factory sees only its responses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from schemas.settings import DraftingSettings
from schemas.tasks import DraftKind, TaskDraft
from tasks.authors.compiler import compile_program
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.checks import same_value
from tasks.verification.execution import Case, Execution, execute, task_id
from tasks.world.session import UNDISTURBED
from tests.tasks.authors.llm.stand_in import Body, Said, act, answer
from tests.tasks.proving_ground import ProvingGround

TOOL = "get_album_playing_time"
DESIGN = {
    "name": TOOL,
    "description": "Tell how many tracks an album has and how long they play together.",
    "operation": "aggregate",
    "parameters": [
        {
            "name": "album_id",
            "type": "integer",
            "description": "The album.",
            "column": "albums.album_id",
            "required": True,
        }
    ],
    "fields": [
        {"name": "album_title", "type": "string", "description": "The album's title.", "column": "albums.album_title"},
        {"name": "track_count", "type": "integer", "description": "Number of its tracks."},
        {"name": "playing_time", "type": "integer", "description": "Milliseconds of all of them together."},
    ],
    "items": [],
    "order": "",
    "refusals": [{"code": "not_found", "when": "there is no such album"}],
}
REFERENCE = {
    "fields": """SELECT a.album_title AS album_title,
        (SELECT COUNT(*) FROM tracks t WHERE t.album_id = a.album_id) AS track_count,
        (SELECT TOTAL(t.duration) FROM tracks t WHERE t.album_id = a.album_id) + 0 AS playing_time
        FROM albums a WHERE a.album_id = :album_id""".replace("TOTAL(t.duration)", "COALESCE(SUM(t.duration), 0)"),
    "items": "",
    "refusals": [{"code": "not_found", "sql": "SELECT NOT EXISTS (SELECT 1 FROM albums WHERE album_id = :album_id)"}],
    "changes": [],
    "after": [],
    "cases": [{"album_id": 1}, {"album_id": 2}, {"album_id": 5}, {"album_id": 999999}],
}
SOURCE = f'''
def {TOOL}(album_id: int) -> dict[str, Any]:
    """Tell how many tracks an album has and how long they play together."""
    albums = _rows("SELECT album_title FROM albums WHERE album_id = ?", [album_id])
    if not albums:
        return _refuse("not_found", f"There is no album with album_id {{album_id!r}}.")
    tracks = _rows("SELECT duration FROM tracks WHERE album_id = ?", [album_id])
    playing_time = sum(track["duration"] for track in tracks)
    return {{"album_title": albums[0]["album_title"], "track_count": len(tracks), "playing_time": playing_time}}
'''
DIAGNOSIS = {
    "weak": [
        {
            "environment_id": "env_late",
            "causes": [
                {
                    "statement": "It ends although its date was refused.",
                    "rollout_ids": ["env_late_0", "env_late_1"],
                    "counting_sql": "select rollout_id from attempts where outcome = 'fail'",
                    "value": 3,
                }
            ],
            "additions": ["operations"],
            "tables": ["bookings"],
        }
    ]
}
"""Of the attempts that tests/tasks/authors/llm/diagnostician stores."""
KINDS: tuple[DraftKind, ...] = ("document", "graph", "programmatic")
KNOWN = 3
"""Drafts of each kind that it has words for."""
OWN_SEED = 7
"""Seed of the draft that it proposes as its own."""


@dataclass(frozen=True)
class Known:
    """A draft, and what its program does."""

    draft: TaskDraft
    calls: list[dict[str, Any]]
    answer: dict[str, Any]
    changes: bool


class WellBehaved:
    """The script of a stand-in server."""

    def __init__(self, ground: ProvingGround, seed: int = 0) -> None:
        self._ground = ground
        self._known = [found for kind in KINDS for found in islice(self._sound(kind, seed), KNOWN)]
        self._own = next(found for found in self._sound("programmatic", OWN_SEED) if len(found.calls) > 7)

    def __call__(self, body: Body) -> Said:
        """Answer a request by what is asked for."""
        tools = [tool["function"] for tool in body.get("tools", [])]
        form = tools[-1]["parameters"] if tools else body["response_format"]["json_schema"]["schema"]
        said = self._said(set(form["properties"]), form, body)
        if isinstance(said, Said):
            return said
        return act(body, tools[-1]["name"], said) if tools else answer(said)

    def _said(self, asked: set[str], form: dict[str, Any], body: Body) -> Any:
        if asked == {"tools"}:
            return {"tools": [DESIGN]}
        if "cases" in asked:
            return REFERENCE
        if asked == {"source"}:
            return {"source": SOURCE}
        if asked == {"labels"}:
            return {"labels": []}
        if "unanswerable" in asked:
            return {"unanswerable": False, "reason": "", "request": self._meant(body).draft.request}
        if "keys" in asked:
            draft = self._meant(body).draft
            keys = [{"name": field.name, "holds": field.description} for field in draft.answer_fields]
            return {"request": draft.request, "keys": keys}
        if "verifier" in asked:
            return self._proposed()
        if asked == {"items"}:
            return {"items": list(_stated(self._asked(body)))}
        if "additions" in asked:
            return _chosen(form)
        if "verdict" in asked:
            return _judged(body)
        if "weak" in asked:
            return DIAGNOSIS
        if "level2" in asked:
            return {"quote": "episode", "level2": form["properties"]["level2"]["enum"][0]}
        if "things" in asked:
            return {
                "title": "Podcast episodes",
                "description": "Episodes of podcasts and their categories.",
                "things": [],
            }
        return self._solved(form, body)

    def _sound(self, kind: DraftKind, seed: int) -> Any:
        """Yield the rules' drafts of a kind whose programs run to an answer."""
        for draft in RulesAuthor(DraftingSettings()).propose_tasks(kind, self._ground.setting, seed):
            name = task_id(self._ground.setting.environment.id, draft)
            run: Execution = execute(
                self._ground.world, self._ground.bundle, Case(name, draft, compile_program(draft.program), UNDISTURBED)
            )
            if run.run.error is None and run.run.answer is not None:
                yield Known(draft, run.run.trace, run.run.answer, bool(run.diff))

    def _meant(self, body: Body) -> Known:
        """Find the draft whose keys and values stand in a prompt."""
        text = _texts(body)
        return next(
            known
            for known in self._known
            if all(field.name in text for field in known.draft.answer_fields)
            and all(str(value) in text for value in known.draft.constants)
        )

    def _asked(self, body: Body) -> Known | None:
        """Find the draft whose request stands in a prompt."""
        text = _texts(body)
        return next((each for each in [*self._known, self._own] if each.draft.request in text), None)

    def _proposed(self) -> dict[str, Any]:
        draft = self._own.draft
        fields = [
            {
                **field.model_dump(include={"name", "type", "item_type", "ordered", "unit"}),
                "holds": field.description,
                "decimals": 2 if "number" in (field.type, field.item_type) else None,
            }
            for field in draft.answer_fields
        ]
        verifier = f"def verify(answer, before, after):\n    return answer == {self._own.answer!r} and "
        verifier += f"(before != after) is {self._own.changes}\n"
        solution = compile_program(draft.program)
        return {"request": draft.request, "answer_fields": fields, "solution": solution, "verifier": verifier}

    def _solved(self, form: dict[str, Any], body: Body) -> Any:
        """Make the gold run's next call, one again that failed for a moment; from memory nothing is known."""
        known = self._asked(body)
        if "tools" not in body or known is None:
            return {name: _blank(part) for name, part in form["properties"].items()}
        results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        done = sum('"unavailable"' not in result for result in results)
        if done == len(known.calls):
            return known.answer
        return act(body, known.calls[done]["tool"], known.calls[done]["arguments"])


def _chosen(form: dict[str, Any]) -> dict[str, Any]:
    """Choose the last kind of addition that there is, and leave the rest to the rules."""
    items = form["properties"]["additions"]["items"]
    kinds = items.get("enum") or [items["const"]]
    rest = {name: [] if part["type"] == "array" else "more to look up" for name, part in form["properties"].items()}
    return {**rest, "additions": kinds[-1:]}


def _stated(known: Known | None) -> Iterator[dict[str, str]]:
    """State what a right answer fulfils, in the words in which a judge is calibrated."""
    for field in known.draft.answer_fields if known else ():
        order = ", in this order" if field.ordered else ", in any order"
        allowance = order if field.type == "list" else f", give or take {field.tolerance}" if field.tolerance else ""
        value = json.dumps(known.answer[field.name], ensure_ascii=False)
        yield {"key": field.name, "statement": f'The answer\'s "{field.name}" (as asked) is {value}{allowance}.'}
    names = ", ".join(f'"{field.name}"' for field in known.draft.answer_fields) if known else ""
    yield {"key": "", "statement": f"The answer has these fields and no others: {names}."}


def _judged(body: Body) -> dict[str, str]:
    """Compare the value that a statement names with the answer in the evidence."""
    statement, _, evidence = body["messages"][-1]["content"].partition("Evidence:")
    named = re.search(r'answer\'s "(\w+)" .* is (.*?)(, in .* order|, give or take .*)?\.\s*$', statement.strip())
    found = re.search(r"\{.*\}", evidence, re.DOTALL)
    given = json.loads(found[0]) if found else {}
    if named is None:  # which fields an answer has
        holds = sorted(given) == sorted(re.findall(r'"(\w+)"', statement))
    else:
        holds = named[1] in given and _same(given[named[1]], json.loads(named[2]), named[3] or "")
    return {"reasoning": "", "quote": found[0] if found and holds else "", "verdict": "yes" if holds else "no"}


def _same(value: Any, stated: Any, allowance: str) -> bool:
    """Compare as a careful reader does: by type, with the difference that a statement allows for."""
    tolerance = float(allowance.split()[-1]) if "give or take" in allowance else 0.0
    kinds = {bool: "boolean", int: "number", float: "number", list: "list", str: "text"}
    item = kinds.get(type(stated[0]), "text") if isinstance(stated, list) and stated else "text"
    spec = {"type": kinds.get(type(stated), "text"), "item_type": item, "ordered": "any order" not in allowance}
    return same_value(value, stated, spec | {"tolerance": tolerance})


def _texts(body: Body) -> str:
    return "\n".join(message["content"] or "" for message in body["messages"])


def _blank(part: dict[str, Any]) -> Any:
    kind = part.get("type")
    return {"integer": 0, "number": 0.5, "boolean": False, "array": [], "string": "unknown"}.get(
        kind if isinstance(kind, str) else "string"
    )
