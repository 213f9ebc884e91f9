"""Documents: what each holds on one line, and a page with its facts and its text."""

from __future__ import annotations

from typing import Any

from schemas.documents import Document, Fact
from tasks.pages.documents import MOST_DOCUMENTS, document_page, documents_section
from tasks.pages.markdown import LONGEST_BLOCK, MOST_TABLE_ROWS

FEE = Fact(place="rye/Fee", words="fee", value=2.5, unit="euros", subject=("loaves", "rye"), column=("loaves", "kind"))
RULE = Fact(place="Limits/most", words="most loaves", value=6, rule="sales.1", column=("loaves", "weight"))


def document(*facts: Fact, **more: Any) -> Document:
    values = {
        "path": "lists/fees.csv",
        "format": "csv",
        "title": "Fees",
        "about": "What it costs.",
        "origin": "written",
    }
    return Document.model_validate({**values, "text": "a,b\n", "facts": facts, **more})


def test_one_line_a_document() -> None:
    lines = documents_section(
        [document(FEE, FEE), document(FEE, RULE, editable=True), document()], "bakery"
    ).splitlines()
    assert lines[0] == "- **Fees** (csv, 4 bytes, read only, `lists/fees.csv`). What it costs. 2 facts: fee (2)."
    assert lines[1].endswith("editable, `lists/fees.csv`). What it costs. 1 rule: most loaves (6).")
    assert lines[2].endswith("No facts.") and lines[-1] == "Read one: `factory show bakery.PATH`."
    assert documents_section([], "bakery") == "None."


def test_a_document_of_its_own() -> None:
    page = document_page(document(FEE, RULE, tables=("loaves",)), "bakery")
    assert (
        page.startswith("# Fees\n") and "| rows of | `loaves` |" in page and "| origin | written by a round |" in page
    )
    assert "| fee | 2.5 euros | loaves: rye | rye/Fee |" in page
    assert "| most loaves (rule) | 6 | loaves.weight | Limits/most |" in page
    assert page.endswith("```csv\na,b\n\n```\n")
    assert "a file of the source" in document_page(document(origin="mined"), "bakery")


def test_bounded_and_without_markup(nasty: str) -> None:
    facts = [Fact(place=nasty, words=f"{nasty} {number}", value=nasty) for number in range(500)]
    long = document(*facts, title=nasty, about=nasty, text="```\n" * 9000)
    page, section = document_page(long, nasty), documents_section([long] * 100, nasty)
    assert page.count("\n| ") < MOST_TABLE_ROWS + 20 and len(page) < LONGEST_BLOCK + 60_000
    assert section.count("\n- ") == MOST_DOCUMENTS and f"… and {100 - MOST_DOCUMENTS} more" in section
    assert "<img" not in page.split("## Text")[0] and "<img" not in section and "````csv" in page
