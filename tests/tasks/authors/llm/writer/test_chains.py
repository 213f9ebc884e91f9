"""Every statement of a program is told in words, with its values and without a name of a tool or column."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice

import pytest

from schemas.answers import AnswerField
from schemas.tasks import DraftKind, TaskDraft
from tasks.authors.base import Setting
from tasks.authors.llm.writer.chains import Chain, form, tell
from tasks.authors.llm.writer.trials import try_out
from tasks.authors.rules.author import RulesAuthor
from tasks.toolgraph.edges import tool_edges
from tasks.verification.refusals import Refused
from tasks.world.session import World
from tests.tasks.authors.llm.writer.songs import longest
from tests.tasks.authors.rules.documents.depot import build_depot
from tests.tasks.proving_ground import ProvingGround


@pytest.fixture(scope="module")
def depot(world: World, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """Stations with tickets and papers."""
    built = build_depot(tmp_path_factory.mktemp("depot"), world)
    edges = tool_edges(built.module.tools, built.environment.profile.opaque_domains())
    return Setting(built.environment, built.module.tools, edges, built.draft.frames, world, built.bundle)


def told(setting: Setting, draft: TaskDraft) -> Chain:
    return tell(draft, try_out(draft, setting), setting)


def sound(setting: Setting, kind: DraftKind, most: int) -> list[TaskDraft]:
    """Drafts of the rules whose programs run."""
    found = []
    for draft in islice(RulesAuthor().propose_tasks(kind, setting, 5), most):
        with suppress(Refused):
            try_out(draft, setting)
            found.append(draft)
    assert found
    return found


def test_a_chain_in_words(records: ProvingGround) -> None:
    chain = told(records.setting, longest())
    assert len(chain.steps) == 5 and chain.steps[0].startswith("1. ") and "duration" in chain.steps[0]
    assert "5" not in chain.steps[0]  # the size of the page
    assert "the first 4 of the items of step 1" in chain.steps[1] and chain.steps[3].startswith("  2. ")
    assert chain.figures == ["bytes_in_all (whole number in bytes): the sum of list 1"]


@pytest.mark.parametrize("kind", ["document", "graph", "programmatic"])
def test_chains_of_the_rules_name_no_machinery(depot: Setting, kind: DraftKind) -> None:
    names = {tool.name for tool in depot.tools}
    for draft in sound(depot, kind, 12):
        chain = told(depot, draft)
        keys = {field.name for field in draft.answer_fields}
        unquoted = re.sub(r"“[^”]*”", "", "\n".join([*chain.steps, *chain.figures]))
        words = set(re.findall(r"\w+", unquoted))
        assert not words & names
        assert {word for word in words if "_" in word} <= keys


def test_a_document_is_called_by_its_title(depot: Setting) -> None:
    """The program finds a document by its place in the list; nobody would ask for it so."""
    titles = {document.title for document in depot.environment.documents}
    for draft in sound(depot, "document", 8):
        steps = "\n".join(told(depot, draft).steps)
        assert any(f"“{title}”" in steps for title in titles & {str(value) for value in draft.constants})


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (AnswerField(name="a", type="number", description="", unit="miles", tolerance=0.01), "in miles, rounded to 2"),
        (AnswerField(name="a", type="number", description="", tolerance=0.0001), "rounded to 4 decimals"),
        (AnswerField(name="a", type="list", description="", item_type="date", ordered=False), "list, in any order"),
        (AnswerField(name="a", type="datetime", description=""), "YYYY-MM-DDTHH:MM:SS"),
    ],
)
def test_the_form_of_a_value(field: AnswerField, words: str) -> None:
    assert words in form(field)
