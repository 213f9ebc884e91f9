"""Requirements documents, in markdown and docx: things, what can be done with them, and rules."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UsageError
from schemas.themes import SourceParameter, Theme
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.requirements import read_requirements
from tasks.themes.sources.sentences import is_rule, operations_in, parameter_of, split_list, things_in
from tasks.themes.sources.subjects import declared_noun, subject_in
from tasks.themes.sources.text_blocks import markdown_blocks

MARKDOWN = """
# Town library

The system helps a town's librarians to lend books.

## Entities

- **Book**: title, author, ISBN, publication year, status (available, lent, lost)
- **Member**: full name, email, phone

### Loan

- book
- member
- due date: date, required
- renewals: integer

Each branch has a name, an address and opening hours.

### Reading room

| Field | Type | Allowed values | Description |
|---|---|---|---|
| room name | text | | What is on the door |
| seats | integer | | |
| floor | | ground, first, second | |

## Operations

- The librarian can register a new member with email and phone.
- Members must be able to search books by title or author.
- The librarian can create and extend loans.
- As a member, I want to reserve a book so that nobody else takes it.
- Cancel a reservation.

## Rules

- A member may have at most five loans.
- Fines are paid before the next loan.

## Notes

A book can only be lent if it is available. Readers like tea.
"""


def theme_of(path: Path) -> Theme:
    finding = read_requirements(path, Bounds(), "MIT")
    assert finding.refusals == []
    return finding.themes[0]


def check(theme: Theme) -> None:
    """What both forms of the document say."""
    assert (theme.name, theme.kind, theme.evidence[0].kind) == ("town_library", "requirements", "requirements")
    assert theme.description == "The system helps a town's librarians to lend books."
    entities = {entity.name: {field.name: field for field in entity.fields} for entity in theme.entities}
    assert {"books", "members", "loans", "reading_rooms"} <= set(entities)
    assert {"title", "author", "isbn", "publication_year", "status"} <= set(entities["books"])
    assert entities["books"]["status"].values == ["available", "lent", "lost"]
    assert entities["books"]["publication_year"].type == "integer"
    assert entities["loans"]["book_id"].refers_to == "books"
    assert (entities["loans"]["due_date"].type, entities["loans"]["renewals"].type) == ("date", "integer")
    assert entities["reading_rooms"]["floor"].values == ["ground", "first", "second"]
    done = {one.name: (one.verb, one.entity, [p.name for p in one.parameters]) for one in theme.operations}
    assert done["register_member"] == ("create", "members", ["email", "phone"])
    assert done["search_book"] == ("search", "books", ["title", "author"])
    assert (done["create_loan"][:2], done["extend_loan"][:2]) == (("create", "loans"), ("update", "loans"))
    assert theme.rules == [
        "A member may have at most five loans.",
        "Fines are paid before the next loan.",
        "A book can only be lent if it is available.",
    ]


def test_markdown(tmp_path: Path) -> None:
    path = tmp_path / "library.md"
    path.write_text(MARKDOWN, "utf-8")
    theme = theme_of(path)
    check(theme)
    branches = next(entity for entity in theme.entities if entity.name == "branches")
    assert [field.name for field in branches.fields] == ["name", "address", "opening_hours"]
    assert {one.name: one.verb for one in theme.operations}["cancel_reservation"] == "transition"


def test_docx(tmp_path: Path) -> None:
    document = Document()
    for block in markdown_blocks(MARKDOWN):
        if block.kind == "heading":
            document.add_heading(block.text, block.level)
        elif block.kind == "table":
            table = document.add_table(0, len(block.rows[0]))
            for row in block.rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        else:
            paragraph = document.add_paragraph(style="List Bullet" if block.kind == "item" else None)
            paragraph.add_run(block.lead).bold = True
            paragraph.add_run(block.text.removeprefix(block.lead))
    document.save(str(tmp_path / "library.docx"))
    check(theme_of(tmp_path / "library.docx"))


def test_documents_that_are_none_say_why(tmp_path: Path) -> None:
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "binary.md").write_bytes(b"\x00\x01\x02")
    (tmp_path / "poem.md").write_text("# Spring\n\nThe birds are back and sing.\n", "utf-8")
    (tmp_path / "empty.md").write_text("", "utf-8")
    with zipfile.ZipFile(tmp_path / "other.docx", "w") as archive:
        archive.writestr("a.txt", "no document")
    for name, reason in (
        ("broken.docx", "unreadable"), ("other.docx", "unreadable"), ("binary.md", "unreadable"), ("poem.md", "no_tools"),
        ("empty.md", "no_tools"),
    ):  # fmt: skip
        assert [one.reason for one in read_requirements(tmp_path / name, Bounds(), "MIT").refusals] == [reason], name
    with pytest.raises(UsageError, match="missing"):
        read_requirements(tmp_path / "missing.md", Bounds(), "MIT")


def test_a_docx_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 5_000_000)
    (refusal,) = read_requirements(tmp_path / "bomb.docx", Bounds(document_bytes=1_000_000), "MIT").refusals
    assert refusal.reason == "too_large"


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("The manager can add, edit and remove products.", ["add_product", "edit_product", "remove_product"]),
        ("Users should be able to view their orders.", ["view_order"]),
        ("The system allows customers to cancel an order.", ["cancel_order"]),
        ("The price cannot change.", []),
        ("The shop is open.", []),
    ],
)
def test_what_can_be_done(sentence: str, operations: list[str]) -> None:
    assert [operation.name for operation in operations_in(sentence)] == operations


DECLARED = {
    noun: [SourceParameter(name=name, type="string") for name in fields.split()]
    for noun, fields in {
        "tool": "name brand status",
        "member": "full_name email phone",
        "plot": "size yearly_rent",
        "swap_request": "shift reason",
    }.items()
}


@pytest.mark.parametrize(
    ("sentence", "name", "noun", "parameters"),
    [
        ("Search tools by category, brand or name", "search_tool", "tool", ["category", "brand", "name"]),
        ("Reserve a tool for a member", "reserve_tool", "tool", []),
        ("Show the list of tools", "show_tool", "tool", []),
        ("Get information about a member", "get_member", "member", []),
        ("Update the rent of a plot", "update_plot_yearly_rent", "plot", ["yearly_rent"]),
        ("Get the yearly rent of a plot", "get_plot_yearly_rent", "plot", []),
        ("Change the phone and email of a member", "change_member_phone_email", "member", ["phone", "email"]),
        ("Change a member's email", "change_member_email", "member", ["email"]),
        ("Record a fault of a tool", "record_fault", "fault", []),
        ("Approve a swap", "approve_swap_request", "swap_request", []),
        ("Extend a loan by one week", "extend_loan", "loan", []),
        ("Add a tool with name, shelf that is up to them and brand", "add_tool", "tool", ["name", "shelf", "brand"]),
        ("Create a tool with name and with brand", "create_tool", "tool", ["name"]),
    ],
)
def test_operations_are_about_what_the_document_declares(
    sentence: str, name: str, noun: str, parameters: list[str]
) -> None:
    (found,) = operations_in(sentence, True, DECLARED)
    assert (found.name, found.noun, [one.name for one in found.parameters]) == (name, noun, parameters)


def test_things_may_have_general_names() -> None:
    names = ("Tool", "Swap request", "Book details", "Transfer", "Register member", "Details", "Search", "Record")
    assert [declared_noun(name.lower().split()) for name in names] == [
        "tool", "swap_request", "book", "transfer", "member", "", "", "",
    ]  # fmt: skip
    assert declared_noun(["record"], explicit=True) == "record"
    assert subject_in(["tools"], {}).noun == "", "nobody declares them"


def test_operations_may_stand_before_the_things_that_they_name(tmp_path: Path) -> None:
    text = (
        "# Tool library\n\n## Operations\n\n- Search tools by brand\n\n## Entities\n\n- **Tool**: name, brand, price\n"
    )
    (tmp_path / "tools.md").write_text(text, "utf-8")
    found = theme_of(tmp_path / "tools.md")
    assert (found.name, [entity.name for entity in found.entities]) == ("tool_library", ["tools"])
    assert [(one.name, one.entity) for one in found.operations] == [("search_tool", "tools")]


@pytest.mark.parametrize(
    ("sentence", "restricts"),
    [
        ("Each train has a number, a destination and a maximum weight.", False),
        ("Each tank has a name, a minimum level and 2 valves.", False),
        ("A member has a maximum of five loans.", True),
        ("The minimum age of a driver is 18.", True),
    ],
)
def test_a_bound_is_a_rule_where_it_has_a_number(sentence: str, restricts: bool) -> None:
    assert is_rule(sentence) is restricts


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("best before date", "best_before_date"),
        ("weight in kilograms", "weight"),
        ("size in square metres: number", "size"),
        ("valid until", "valid_until"),
        ("from track", "from_track"),
        ("to track", "to_track"),
        ("duration in minutes", "duration"),
        ("given on", "given_on"),
        ("given name", "given_name"),
        ("price per night", "price_per_night"),
        ("check in date", "check_in_date"),
        ("owner with a phone number", ""),
        ("that is kept in store", ""),
        ("up to the librarian from then", ""),
    ],
)
def test_fields_have_prepositions_in_their_names(item: str, name: str) -> None:
    assert parameter_of(item).name == name
    assert parameter_of("weight in kilograms").description == "in kilograms"


def test_lists_and_fields() -> None:
    assert split_list("title, status (open, closed) and due date") == ["title", "status (open, closed)", "due date"]
    assert parameter_of("status (open, closed)").choices == ["open", "closed"]
    assert parameter_of("Amount: decimal, required").type == "number"
    assert parameter_of("It is up to the librarian what happens to it").name == ""
    thing = things_in("Every customer has a name, an email address and a city.")
    assert thing is not None
    assert (thing[0], [field.name for field in thing[1]]) == ("customer", ["name", "email_address", "city"])
    assert things_in("The weather was fine.") is None


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    for block in markdown_blocks(text):
        operations_in(block.text, imperative=True)
        things_in(block.text, block.lead)
        assert all(len(parameter_of(item).name) <= 40 for item in split_list(block.text))
