"""Things and their fields, as operations name them; and themes, or why there is none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from schemas.themes import Entity, EntityField, Evidence, SourceParameter, Theme
from tasks.themes.findings import REASONS, Refusal
from tasks.themes.operations import Named
from tasks.themes.parameters import read_parameters
from tasks.themes.reading import Described, name_of, read_theme, subject_of
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.requirements import read_requirements
from tasks.themes.sources.tool_documents import read_tool_document

DOCUMENTS = Path(__file__).parents[2] / "documents"
SAMPLES = {
    "conference_rooms.json": "bookings caterings faults rooms",
    "course_enrolment.json": "courses enrolments students",
    "event_ticketing.yaml": "events holds tickets",
    "ferry_bookings.md": "bookings crossings ferries harbours passengers",
    "film_festival.md": "cinemas films guests screenings tickets",
    "fleet_maintenance.json": "inspections mechanics vehicles work_orders",
    "food_bank.md": "donations donors households parcels stock_items volunteers",
    "freight_yard.md": "defects freight_trains shunting_moves wagons yard_tracks",
    "garden_plots.md": "gardeners inspections plots tenancies",
    "hospital_shifts.md": "absences nurses shifts swap_requests wards",
    "museum_loans.md": "artworks condition_reports institutions loan_agreements transports",
    "podcast_catalogue.json": "episodes playlists podcasts reviews",
    "recipe_boxes.json": "customers deliveries recipes subscriptions",
    "tool_library.md": "loans members repairs reservations tools",
    "vet_clinic.md": "animals appointments owners prescriptions vaccinations vets",
    "warehouse_slotting.yaml": "articles bins moves",
}
"""The sample documents, and what a person who reads them would say that they keep."""


def named(operation: str, description: str = "", returns: dict[str, Any] | None = None, /, **properties: Any) -> Named:
    schema = {"type": "object", "properties": {key: value or {"type": "string"} for key, value in properties.items()}}
    return Named(operation, description, read_parameters(schema), read_parameters(returns))


def read(*operations: Named, title: str = "Tracker", overview: str = "") -> Theme | Refusal:
    evidence = Evidence(kind="mcp_server", address="here", licence="MIT", sha256="0" * 64, bytes=1)
    return read_theme(Described(title, overview, operations, evidence, "mcp"))


def theme(*operations: Named, **said: str) -> Theme:
    found = read(*operations, **said)
    assert isinstance(found, Theme), found
    return found


def field(entity: Entity, name: str) -> EntityField:
    return next(one for one in entity.fields if one.name == name)


TRACKER = (
    named(
        "create_issue",
        title=None,
        priority={"type": "string", "enum": ["low", "high"]},
        due_date={"type": "string", "description": "as YYYY-MM-DD"},
        estimate={"type": "integer", "default": 3},
        project_id={"type": "integer"},
        api_key=None,
    ),
    named("close_issue", issue_id=None),
    named("reopen_issue", issue_id=None),
    named("search_issues", query=None, assignee_email=None, min_price={"type": "number"}, page={"type": "integer"}),
    named("list_projects"),
)


def test_fields_come_from_parameters_with_types_concepts_and_values() -> None:
    issues = next(entity for entity in theme(*TRACKER).entities if entity.name == "issues")
    assert (issues.singular, issues.plural, issues.fields[0].name) == ("issue", "issues", "title")
    assert (field(issues, "priority").values, field(issues, "priority").concept) == (["low", "high"], "priority")
    assert (field(issues, "due_date").type, field(issues, "due_date").words) == ("date", "due date")
    assert (field(issues, "estimate").type, field(issues, "estimate").examples) == ("integer", ["3"])
    assert field(issues, "assignee_email").concept == "email"
    assert (field(issues, "price").type, field(issues, "price").concept) == ("money", "price")
    assert not {"query", "page", "api_key", "issue_id"} & {one.name for one in issues.fields}


def test_transitions_give_a_status_with_its_first_value_first() -> None:
    issues = theme(*TRACKER).entities[0]
    assert field(issues, "status").values == ["open", "closed"]
    assert field(issues, "status").concept == "status"


def test_a_status_that_the_source_lists_keeps_its_own_values() -> None:
    stated = named("list_tickets", status={"type": "string", "enum": ["New", "Closed"]})
    tickets = theme(stated, named("close_ticket", ticket_id=None), named("archive_ticket", ticket_id=None)).entities[0]
    assert field(tickets, "status").values[:2] == ["New", "Closed"]
    assert "archived" in field(tickets, "status").values
    assert "closed" not in field(tickets, "status").values


def test_references_name_the_other_table() -> None:
    found = theme(*TRACKER)
    assert field(found.entities[0], "project_id").refers_to == "projects"
    tables = {entity.name for entity in found.entities}
    assert all(one.refers_to in tables for entity in found.entities for one in entity.fields if one.refers_to)


def test_a_known_kind_that_is_only_referred_to_is_a_thing() -> None:
    found = theme(named("create_comment", text=None, post_id=None, zorp_id=None))
    assert [entity.name for entity in found.entities] == ["comments", "posts"]
    assert field(found.entities[0], "zorp").refers_to is None


def test_fields_come_from_results_and_descriptions_too() -> None:
    returned = {
        "type": "object",
        "properties": {"books": {"type": "array", "items": {"properties": {"isbn": {}, "pages": {"type": "integer"}}}}},
    }
    said = "Get books, including their author, publisher and language."
    books = theme(named("get_books", said, returned)).entities[0]
    assert {"isbn", "pages", "author", "publisher", "language"} <= {one.name for one in books.fields}
    assert field(books, "pages").type == "integer"
    assert not field(books, "isbn").description.startswith("usual for")


def test_what_is_usual_for_a_kind_is_told_apart() -> None:
    movies = theme(named("get_movies", genre=None)).entities[0]
    assert field(movies, "genre").description == ""
    assert field(movies, "director").description == "usual for movies"


def test_kinds_of_one_thing_from_several_makers_are_one_table() -> None:
    operations = [named(f"search_{maker}_products", keyword=None) for maker in ("acme", "bolt", "cork")]
    (products,) = theme(*operations).entities
    assert (products.name, field(products, "source").values) == ("products", ["acme", "bolt", "cork"])


def test_every_entity_can_be_stored() -> None:
    """Names are legal, unique and no words of SQL; each table has three fields, its label first."""
    found = theme(*TRACKER, named("create_group", name=None, order=None, select=None), named("list_tables", name=None))
    for entity in found.entities:
        names = [one.name for one in entity.fields]
        assert len(names) == len(set(names)) >= 3
        assert all(name.isidentifier() and name not in ("order", "select", "group") for name in names)
        assert entity.name not in ("group", "order", "table")
        assert entity.queries[0].endswith(entity.plural)


def test_sources_without_a_theme_say_why() -> None:
    reasons = {
        "no_tools": read(),
        "nothing_to_store": read(named("calculate", expression=None), named("render_chart", code=None)),
        "no_entity": read(named("get_zorp", flavour=None)),
    }
    assert {reason: found.reason for reason, found in reasons.items() if isinstance(found, Refusal)} == {
        r: r for r in reasons
    }
    assert set(reasons) <= set(REASONS)


def test_a_server_that_mostly_steers_is_refused() -> None:
    steering = [named(f"browser_{word}", selector=None) for word in ("click", "hover", "type", "scroll", "press")]
    assert isinstance(read(*steering, named("list_pages")), Refusal)


def test_names_follow_titles() -> None:
    assert subject_of("PubMed MCP Server") == "PubMed"
    assert name_of("PubMed MCP Server") == "pubmed"
    for title in ("3D Printing API", "MCP Server", "天气", "—"):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name_of(title)), title


def test_every_sample_document_has_the_things_that_a_reader_names() -> None:
    found = {}
    for path in DOCUMENTS.iterdir():
        finding = (read_requirements if path.suffix == ".md" else read_tool_document)(path, Bounds(), "MIT")
        (read_from,) = finding.themes
        found[path.name] = " ".join(sorted(entity.name for entity in read_from.entities))
        nowhere = [one.name for one in read_from.operations if not one.entity]
        assert (nowhere, [p for one in read_from.operations for p in one.parameters if not p.name]) == ([], [])
    assert found == SAMPLES


def declaring(title: str, **things: str) -> Theme:
    """Return the theme of a document that declares things with their fields."""
    evidence = Evidence(kind="requirements", address="here", licence="MIT", sha256="0" * 64, bytes=1)
    fields = {
        noun: [SourceParameter(name=name, type="string") for name in names.split()] for noun, names in things.items()
    }
    found = read_theme(Described(title, "", [], evidence, "requirements", fields=fields))
    assert isinstance(found, Theme), found
    return found


def test_declared_things_and_fields_keep_their_names() -> None:
    found = declaring(
        "Tool service", tool="name brand details", repair="tool cost value", train="train_number origin weight"
    )
    assert found.name == "tool", "a service is no thing here"
    tools, repairs, trains = found.entities
    assert [one.name for one in tools.fields] == ["name", "brand", "details"]
    assert {"tool_id", "cost", "value"} <= {one.name for one in repairs.fields}
    assert [one.name for one in trains.fields][:3] == ["train_number", "origin", "weight"]


@pytest.mark.parametrize(
    ("fields", "label"),
    [("offered_by taken_by asked_on", "reference"), ("token_in token_out blockchain", "transaction_hash")],
)
def test_a_hash_names_swaps_of_coins_only(fields: str, label: str) -> None:
    (swaps,) = declaring("Swaps", swap=fields).entities
    assert swaps.fields[0].name == label


def test_an_id_depends_on_the_content_alone() -> None:
    one, other = theme(*TRACKER), theme(*TRACKER)
    assert one.id == other.id != theme(*TRACKER[:3]).id
