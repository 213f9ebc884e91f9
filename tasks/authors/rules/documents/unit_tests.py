"""Unit tests of the document tools: expected values by `readers.py` and polars, which share no code with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from schemas.documents import Document
from schemas.tools import Expectation, ToolCall, ToolTest
from tasks.authors.rules.documents.readers import leaves_of, read_content, search
from tasks.authors.rules.documents.tools import EDITS
from tasks.authors.rules.unit_tests.subject import Subject

MOST_DOCUMENTS = 8
MOST_ROWS, MOST_HITS = 50, 20
NOWHERE = "missing/nowhere.md"
PARAGRAPHS = (
    "Closed for review until further notice.\n\nQuestions go to the duty desk (extension 4410).",
    "This part has been replaced; 50% of the figures were out of date & are being checked.",
)


def document_tests(subject: Subject) -> list[ToolTest]:
    """Return the tests of one document tool; [] for a tool that is not known."""
    propose = _PROPOSALS.get(subject.tool.intent["action"])
    return propose(subject) if propose else []


def _documents(subject: Subject, *formats: str, editable: bool | None = None) -> list[Document]:
    """Return the documents of some formats (of all, when none is named), by path."""
    found = sorted(subject.environment.documents, key=lambda document: document.path)
    found = [d for d in found if not formats or d.format in formats]
    return [d for d in found if editable is None or d.editable == editable][:MOST_DOCUMENTS]


def _list_tests(subject: Subject) -> list[ToolTest]:
    documents = sorted(subject.environment.documents, key=lambda document: document.path)
    tests = [subject.test("all documents", "works", {}, Expectation(result=_listed(documents)))]
    for form in sorted({document.format for document in documents}):
        listed = _listed([document for document in documents if document.format == form])
        tests.append(subject.test(f"those in {form}", "edge", {"format": form}, Expectation(result=listed)))
    return [*tests, subject.refusal("no such format", {"format": "zz"}, "invalid_argument")]


def _listed(documents: list[Document]) -> dict[str, Any]:
    names = ("path", "title", "format", "about", "editable")
    return {f"items.*.{name}": [getattr(document, name) for document in documents] for name in names}


def _read_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    for document in _documents(subject):
        whole = {"path": document.path, "title": document.title, "format": document.format, **read_content(document)}
        tests.append(
            subject.test(f"all of {document.path}", "works", {"path": document.path}, Expectation(result=whole))
        )
        parts = list(_parts(document))
        part, expected = parts[subject.rng.randrange(len(parts))] if parts else ("", {})
        if part:
            arguments = {"path": document.path, "part": part}
            tests.append(subject.test(f"{part} of {document.path}", "edge", arguments, Expectation(result=expected)))
    tests += list(_after_edits(subject))
    first = _documents(subject)[0].path
    return [
        *tests,
        subject.refusal("no such document", {"path": NOWHERE}, "not_found"),
        subject.refusal("no such part", {"path": first, "part": "zz nowhere"}, "not_found"),
    ]


def _after_edits(subject: Subject) -> Iterator[ToolTest]:
    """What was written is read back."""
    for document in _documents(subject, "json", "yaml", editable=True)[:2]:
        place, value = _numbers(document)[0]
        new = round(value + 3, 6)
        setup = [_call("set_document_value", path=document.path, part=place, value=new)]
        arguments = {"path": document.path, "part": place}
        yield subject.test("a value that was set", "edge", arguments, Expectation(result={"value": new}), setup)
    for document in _documents(subject, "md", "html", "tex", editable=True)[:2]:
        heading = _headings(document)[-1]
        setup = [_call("replace_document_section", path=document.path, heading=heading, text=PARAGRAPHS[1])]
        section = _replaced(document, heading, PARAGRAPHS[1])
        arguments = {"path": document.path, "part": heading.upper()}
        yield subject.test("a new section", "edge", arguments, Expectation(result={"sections": [section]}), setup)


def _search_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    texts = [fact.words for document in _documents(subject) for fact in document.facts[:1]]
    texts += [document.title.split()[-1] for document in _documents(subject)[:3]]
    texts += [str(fact.value) for document in _documents(subject) for fact in document.facts[-1:]]
    for number, text in enumerate(dict.fromkeys([*texts, "zz nowhere"])):
        hits = search(subject.environment.documents, text)
        result: dict[str, Any] = {"total": len(hits), "items.*.path": [d.path for d, _ in hits[:MOST_HITS]]}
        result["items.*.part"] = [part for _, part in hits[:MOST_HITS]]
        asked = text.upper() if number % 2 else text
        name = f"parts with “{text}”"
        tests.append(subject.test(name, "works" if hits else "edge", {"text": asked}, Expectation(result=result)))
    return [*tests, subject.refusal("blank", {"text": "   "}, "invalid_argument")]


def _set_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    for document in _documents(subject, "json", "yaml", editable=True):
        places = _numbers(document)
        place, value = places[subject.rng.randrange(len(places))]
        texts = [(p, v) for p, v in leaves_of(read_content(document)["value"]) if isinstance(v, str)]
        number = round(value + 7, 6)
        for part, new in [(place, number), *[(p, f"{v} – revised: “50 %”") for p, v in texts[:1]]]:
            arguments = {"path": document.path, "part": part, "value": new}
            expect = Expectation(result={"part": part, "value": new}, changes=_changed(document))
            tests.append(subject.test(f"set {part}", "works" if part == place else "edge", arguments, expect))
        arguments = {"path": document.path, "part": place, "value": value}
        expect = Expectation(result={"value": value}, changes={})
        tests.append(subject.test(f"{place} as it was", "edge", arguments, expect))
        wrong = {"path": document.path, "part": place, "value": "many"}
        tests.append(subject.refusal("a text for a number", wrong, "invalid_argument"))
        tests.append(subject.refusal("no such value", {**wrong, "part": f"{place}.zz"}, "not_found"))
    return [*tests, *_misfits(subject, part="a", value=1)]


def _update_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    for document in _documents(subject, "csv", editable=True):
        content = read_content(document)
        row = content["rows"][subject.rng.randrange(len(content["rows"]))]
        name, column = row[content["columns"][0]], content["columns"][-1]
        new = round(row[column] + 11, 6) if isinstance(row[column], int | float) else "revised, “as agreed”"
        arguments = {"path": document.path, "row": name, "column": column, "value": new}
        expect = Expectation(result={"row": {**row, column: new}}, changes=_changed(document))
        tests.append(subject.test(f"{column} of {name}", "works", arguments, expect))
        same = {**arguments, "value": row[column]}
        expect = Expectation(result={"row": row}, changes={})
        tests.append(subject.test("the value it has", "edge", same, expect))
        tests.append(subject.refusal("no such row", {**arguments, "row": "zz nowhere"}, "not_found"))
        tests.append(subject.refusal("no such column", {**arguments, "column": "zz"}, "invalid_argument"))
        first = {**arguments, "column": content["columns"][0]}
        tests.append(subject.refusal("the row's name", first, "invalid_argument"))
        tests.append(subject.refusal("two lines", {**arguments, "value": "a\nb"}, "invalid_argument"))
    return [*tests, *_misfits(subject, row="a", column="b", value=1)]


def _append_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    for document in _documents(subject, "csv", editable=True):
        content = read_content(document)
        others = content["columns"][1:]
        for case, cells in (
            ("works", ["Zz newcomer", *range(20, 20 + len(others))]),
            ("edge", ["Zz, “new”", *["as agreed"] * len(others)]),
        ):
            row = dict(zip(content["columns"], cells, strict=True))
            expect = Expectation(result={"row": row}, changes={f"files/{document.path}": {"inserted": 1}})
            arguments = {"path": document.path, "cells": cells}
            tests.append(subject.test(f"a row {cells[0]}", "works" if case == "works" else "edge", arguments, expect))
        taken = [content["rows"][0][content["columns"][0]], *others]
        tests.append(
            subject.refusal("a row that is there", {"path": document.path, "cells": taken}, "invalid_argument")
        )
        few = {"path": document.path, "cells": ["Zz newcomer"]}
        tests.append(subject.refusal("too few cells", few, "invalid_argument"))
    return [*tests, *_misfits(subject, cells=["a", 1])]


def _replace_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    for document in _documents(subject, "md", "html", "tex", editable=True):
        for heading, text in zip((_headings(document)[0], _headings(document)[-1]), PARAGRAPHS, strict=True):
            arguments = {"path": document.path, "heading": heading, "text": f"  {text}\n"}
            section = _replaced(document, heading, text)
            expect = Expectation(result={"section": section}, changes=_changed(document))
            case = "works" if text == PARAGRAPHS[0] else "edge"
            tests.append(
                subject.test(f"{heading} of {document.path}", "works" if case == "works" else "edge", arguments, expect)
            )
        wrong = {"path": document.path, "heading": "zz nowhere", "text": "None."}
        tests.append(subject.refusal("no such section", wrong, "not_found"))
        blank = {"path": document.path, "heading": _headings(document)[0], "text": " \n "}
        tests.append(subject.refusal("a blank text", blank, "invalid_argument"))
    return [*tests, *_misfits(subject, heading="a", text="b")]


def _query_tests(subject: Subject) -> list[ToolTest]:
    tests = []
    context = pl.SQLContext(subject.oracle.frames)
    for document in _documents(subject, "sql"):
        for statement in read_content(document)["statements"]:
            if document.origin != "written":
                continue
            found = context.execute(statement["text"].rstrip(";"), eager=True).to_dicts()
            result = {"name": statement["name"], "rows": found[:MOST_ROWS], "more": len(found) > MOST_ROWS}
            for name in (statement["name"], statement["name"].upper()):
                arguments = {"path": document.path, "name": name}
                case = "works" if name == statement["name"] else "edge"
                expect = Expectation(result=result | {"name": name})
                tests.append(subject.test(f"run {name}", "works" if case == "works" else "edge", arguments, expect))
        wrong = {"path": document.path, "name": "zz nowhere"}
        tests.append(subject.refusal("no such query", wrong, "not_found"))
    others = [d for d in _documents(subject) if d.format != "sql"]
    if others:
        tests.append(subject.refusal("no queries in it", {"path": others[0].path, "name": "a"}, "invalid_argument"))
    return [*tests, subject.refusal("no such document", {"path": NOWHERE, "name": "a"}, "not_found")]


_PROPOSALS: dict[str, Callable[[Subject], list[ToolTest]]] = {
    "list_documents": _list_tests,
    "read_document": _read_tests,
    "search_documents": _search_tests,
    "set_document_value": _set_tests,
    "update_document_row": _update_tests,
    "append_document_row": _append_tests,
    "replace_document_section": _replace_tests,
    "run_document_query": _query_tests,
}


def _misfits(subject: Subject, **arguments: Any) -> list[ToolTest]:
    """Documents that an edit does not suit: none, of another format, not to be changed."""
    formats = EDITS[subject.tool.intent["action"]]
    tests = [subject.refusal("no such document", {"path": NOWHERE, **arguments}, "not_found")]
    other = [d for d in _documents(subject) if d.format not in formats]
    if other:
        tests.append(subject.refusal("another format", {"path": other[0].path, **arguments}, "invalid_argument"))
    for document in _documents(subject, *formats, editable=False)[:1]:
        tests.append(subject.refusal("not to be changed", {"path": document.path, **arguments}, "read_only"))
    return tests


def _call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)


def _changed(document: Document) -> dict[str, dict[str, int]]:
    return {f"files/{document.path}": {"updated": 1}}


def _headings(document: Document) -> list[str]:
    return [section["heading"] for section in read_content(document)["sections"] if section["heading"]]


def _replaced(document: Document, heading: str, text: str) -> dict[str, Any]:
    """Return a section as it reads with a new text: in md an empty line stays between paragraphs, elsewhere none."""
    paragraphs = text.split("\n\n")
    return {"heading": heading, "text": ("\n\n" if document.format == "md" else "\n").join(paragraphs), "rows": []}


def _numbers(document: Document) -> list[tuple[str, Any]]:
    leaves = leaves_of(read_content(document)["value"])
    return [(p, v) for p, v in leaves if isinstance(v, int | float) and not isinstance(v, bool)]


def _parts(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name of a part, what reading it must show)."""
    content = read_content(document)
    if "value" in content:
        yield from ((path, {"value": value}) for path, value in leaves_of(content["value"]))
    elif "rows" in content:
        first = content["columns"][0]
        for row in content["rows"]:
            yield (
                row[first],
                {"columns": content["columns"], "rows": [r for r in content["rows"] if r[first] == row[first]]},
            )
    else:
        kind, name = ("sections", "heading") if "sections" in content else ("statements", "name")
        for entry in content[kind]:
            alike = [e for e in content[kind] if e[name].casefold() == entry[name].casefold()]
            yield entry[name], {kind: alike}
