"""Plans that need a document: they lower, run without a refusal, and do and say what the records give."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from schemas.plans import Act, Entries, Plan, Ruled, Said, Saved, meaning
from tasks.authors.compiler import compile_program
from tasks.authors.rules.documents.figures import figures_of
from tasks.authors.rules.documents.listings import documents
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.plans.documents import draw_documents
from tasks.authors.rules.plans.drawn import LEVELS, Drawn
from tasks.authors.rules.plans.policies import COMPARATORS, rules
from tasks.authors.rules.plans.stock import Stock
from tasks.world.session import World
from tests.tasks.authors.rules.documents.depot import Depot

WANTED = 40
READERS = {"read_document", "run_document_query"}


@pytest.fixture(scope="module")
def catalog(depot: Depot) -> Catalog:
    return Catalog(depot.environment, depot.module.tools, depot.draft.frames)


@pytest.fixture(scope="module")
def drawn(catalog: Catalog) -> list[Drawn]:
    return list(islice(draw_documents(catalog, 0), WANTED))


def _policies(catalog: Catalog) -> set[str]:
    return {d.title for d in documents(catalog) if any(f.fact.rule for f in figures_of(d))}


def _acting(plan: Plan, catalog: Catalog) -> set[str]:
    """Return the tools that a plan writes with where a document decides."""
    titles, acting = {d.title for d in documents(catalog)}, set[str]()
    for each in plan.passes:
        if any(f'"{title}"' in each.model_dump_json() for title in titles):
            acting |= {act.tool for branch in each.branches for act in branch.acts}
    return acting


def _ruled(plan: Plan) -> list[Ruled]:
    """Return the figures of documents that a plan's conditions and acts need."""
    branches = [branch for each in plan.passes for branch in each.branches]
    values = [condition.right for branch in branches for condition in branch.when]
    values += [value for branch in branches for act in branch.acts for value in act.arguments.values()]  # type: ignore[misc]
    return [value for value in values if isinstance(value, Ruled)]


def test_every_plan_runs_and_needs_a_document(catalog: Catalog, depot: Depot, world: World, drawn: list[Drawn]) -> None:
    for each in drawn:
        program = lower(each.plan, catalog).program
        with world.open(depot.bundle, "plans") as session:
            run = session.run_program(compile_program(program))
        assert run.error is None, each.shape
        assert READERS & {step["tool"] for step in run.trace}, each.shape
        refused = {step["tool"] for step in run.trace if "error" in step["observation"]}
        assert not refused & _acting(each.plan, catalog), each.shape


def test_shapes_and_levels_are_many(drawn: list[Drawn]) -> None:
    assert len(drawn) == WANTED
    assert len({each.shape.split("+")[0] for each in drawn}) >= 5
    assert {each.level for each in drawn} <= set(LEVELS) - {0} and len({each.level for each in drawn}) >= 3
    assert len({meaning(each.plan) for each in drawn}) == len(drawn)
    assert max(Counter(each.level for each in drawn).values()) < WANTED * 0.6


def test_every_other_plan_at_least_needs_a_policy(catalog: Catalog, drawn: list[Drawn]) -> None:
    titles = _policies(catalog)
    ruled = [each for each in drawn if any(value.document in titles for value in _ruled(each.plan))]
    assert len(ruled) >= WANTED / 2


def test_a_rule_is_stated_by_the_document_alone(catalog: Catalog, drawn: list[Drawn]) -> None:
    """Conditions and arguments name a figure that the document holds once, and never repeat its value."""
    known = Counter((d.title, f.fact.words) for d in documents(catalog) for f in figures_of(d))
    named = [value for each in drawn for value in _ruled(each.plan)]
    assert named and all(known[value.document, value.words] == 1 for value in named)


def test_rules_compare_as_their_guards_do(catalog: Catalog) -> None:
    found = rules(Stock(catalog))
    assert found
    for rule in found:
        assert rule.guard.rule == rule.figure.fact.rule
        assert rule.guard.operator in COMPARATORS
        assert rule.parameter in rule.tool.input_schema["required"]


def test_edits_stay_in_the_document_that_is_gone_through(catalog: Catalog, drawn: list[Drawn]) -> None:
    """A cell that is put right is named by the entry at hand; other edits name their document."""
    edits: list[tuple[Act, bool]] = []
    for each in drawn:
        for part in each.plan.passes:
            by_entry = isinstance(part.source, Entries)
            edits += [(act, by_entry) for branch in part.branches for act in branch.acts]
        edits += [(deed.act, False) for deed in each.plan.deeds]
    edits = [(act, by_entry) for act, by_entry in edits if catalog.by_name[act.tool].intent.get("documents")]
    assert edits
    for act, by_entry in edits:
        assert by_entry or act.document is not None
        assert "path" not in act.arguments and any(isinstance(value, Said) for value in act.arguments.values())


def test_queries_are_those_of_the_documents(catalog: Catalog, drawn: list[Drawn]) -> None:
    names = {fact.place for d in documents(catalog) if d.format == "sql" for fact in d.facts}
    used = {p.source.name for each in drawn for p in each.plan.passes if isinstance(p.source, Saved)}
    assert used and used <= names


def test_draws_are_the_same_every_time(catalog: Catalog, drawn: list[Drawn]) -> None:
    again = list(islice(draw_documents(catalog, 0), 8))
    assert [each.plan for each in again] == [each.plan for each in drawn[:8]]
    other = list(islice(draw_documents(catalog, 1), 8))
    assert [each.plan for each in other] != [each.plan for each in again]


def test_nothing_is_drawn_without_documents(depot: Depot) -> None:
    bare = depot.environment.model_copy(update={"documents": []})
    assert not list(draw_documents(Catalog(bare, depot.module.tools, depot.draft.frames), 0))
