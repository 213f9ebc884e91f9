"""The document tools in the sandbox: the gate keeps them, their edits compare, and bugs in them show."""

from __future__ import annotations

import ast
import json
from random import Random

import pytest
import yaml

from schemas.documents import FORMATS
from schemas.environments import Environment
from schemas.tools import ToolModule, ToolTest
from tasks.authors.rules.documents.tools import EDITS, OPERATIONS, document_tools
from tasks.authors.rules.documents.unit_tests import document_tests
from tasks.authors.rules.tools.module import propose_tools
from tasks.authors.rules.unit_tests.oracle import Oracle
from tasks.authors.rules.unit_tests.subject import Subject
from tasks.verification.tool_gate import ToolReport, judge_tools
from tests.tasks.authors.rules.documents.depot import Depot


def proposed(depot: Depot, name: str | None = None) -> list[ToolTest]:
    """Return the tests of all document tools, or of one."""
    oracle = Oracle(depot.draft.frames, depot.environment.profile)
    own = [tool for tool in depot.module.tools if tool.intent.get("documents") and name in (None, tool.name)]
    return [test for t in own for test in document_tests(Subject(depot.environment, t, oracle, Random(t.name)))]


def judged(depot: Depot, source: str, name: str | None = None) -> ToolReport:
    own = [tool for tool in depot.module.tools if tool.intent.get("documents")]
    module = ToolModule(source=source, tools=own)
    return judge_tools(depot.world, depot.environment, module, proposed(depot, name), depot.bundle.database, 0.5)


def test_every_document_tool_is_there_and_passes_all_its_tests(depot: Depot) -> None:
    assert {document.format for document in depot.environment.documents} == set(FORMATS)
    report = judged(depot, depot.module.source)
    assert [tool.name for tool in report.kept] == list(OPERATIONS)
    assert [o for o in report.outcomes if not o.passed] == []
    cases = {(test.tool, test.case) for test in proposed(depot)}
    assert cases == {(name, case) for name in OPERATIONS for case in ("works", "edge", "refuses")}


BUGS = {
    "read_document": (
        'return {"value": _document_follow(content["value"], part)}',
        'return {"value": content["value"]}',
    ),
    "search_documents": ("if at >= 0:", "if at > 0:"),
    "set_document_value": ("    _document_write(path, text)\n    content", "    content"),
    "update_document_row": ("line[head.index(column)] =", "line[-2] ="),
    "append_document_row": ("if any(record[columns[0]] == name", "if any(record[columns[-1]] == name"),
    "replace_document_section": ("marks[1:]] + [last]", "marks[2:]] + [last, last]"),
    "run_document_query": ("rows[:_DOCUMENT_ROWS]", "rows[1:_DOCUMENT_ROWS]"),
}


@pytest.mark.parametrize("name", sorted(BUGS))
def test_a_bug_in_a_tool_fails_its_tests(depot: Depot, name: str) -> None:
    right, wrong = BUGS[name]
    assert depot.module.source.count(right) == 1, f"{name}: the source no longer says {right!r}"
    report = judged(depot, depot.module.source.replace(right, wrong), name)
    assert [o.test_id for o in report.outcomes if o.tool == name and not o.passed]


def test_the_source_stands_by_itself(depot: Depot) -> None:
    tree = ast.parse(depot.module.source)
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) == len(set(names))
    assert {name for name in names if not name.startswith("_")} == {tool.name for tool in depot.module.tools}
    assert "tasks." not in depot.module.source


def test_only_tools_that_the_documents_allow_are_offered(depot: Depot) -> None:
    papers = depot.environment.documents
    queries = depot.environment.model_copy(update={"documents": [d for d in papers if d.format == "sql"]})
    assert [t.name for t in document_tools(queries)] == [n for n in OPERATIONS if n not in EDITS]
    assert document_tools(depot.environment.model_copy(update={"documents": []})) == []


def test_edits_show_in_the_difference_by_content(depot: Depot) -> None:
    papers = {document.format: document for document in depot.environment.documents if document.editable}
    with depot.world.open(depot.bundle, "edits") as session:
        place = "last_review.flagged"
        session.call("set_document_value", {"path": papers["json"].path, "part": place, "value": 5.0})
        row = session.call("read_document", {"path": papers["csv"].path})["rows"][0]
        name, column = next(iter(row.values())), list(row)[-1]
        change = {"path": papers["csv"].path, "row": name, "column": column, "value": 5}
        session.call("update_document_row", change)
        difference = session.diff()
    old = json.loads(papers["json"].text)["last_review"]["flagged"]
    assert difference == {
        f"files/{papers['json'].path}": {
            "inserted": [],
            "updated": [{"key": "$.last_review.flagged", "old": {"value": old}, "new": {"value": 5}}],
            "deleted": [],
        },
        f"files/{papers['csv'].path}": {
            "inserted": [],
            "updated": [{"key": name, "old": {column: str(row[column])}, "new": {column: "5"}}],
            "deleted": [],
        },
    }
    assert set(difference) <= set(depot.environment.contract.writable)


def test_what_is_refused_changes_nothing(depot: Depot) -> None:
    papers = {document.format: document for document in depot.environment.documents}
    rule = next(d for d in depot.environment.documents if d.title.endswith("policy"))
    section = {"path": rule.path, "heading": "Limits", "text": "None."}
    rates = yaml.safe_load(papers["yaml"].text)
    calls = [
        ("replace_document_section", section, "read_only"),
        ("set_document_value", {"path": papers["yaml"].path, "part": "rates", "value": len(rates)}, "invalid_argument"),
        ("set_document_value", {"path": papers["csv"].path, "part": "a", "value": 1}, "invalid_argument"),
        ("append_document_row", {"path": papers["csv"].path, "cells": ["a\nb", 1, 2]}, "invalid_argument"),
        ("read_document", {"path": "../world.db"}, "not_found"),
    ]
    with depot.world.open(depot.bundle, "refusals") as session:
        for name, arguments, code in calls:
            assert session.call(name, arguments)["error"]["code"] == code
        assert session.diff() == {}


@pytest.mark.parametrize("statement", ["DELETE FROM stations", "PRAGMA writable_schema = 1", "ATTACH 'x' AS y"])
def test_a_saved_statement_that_writes_is_not_run(depot: Depot, statement: str) -> None:
    saved = next(document for document in depot.environment.documents if document.format == "sql")
    mined = saved.model_copy(update={"text": f"-- name: sweep\n{statement};\n"})
    place = depot.bundle.path / "files" / saved.path
    place.write_text(mined.text)
    try:
        with depot.world.open(type(depot.bundle).load(depot.bundle.path), "sweep") as session:
            answer = session.call("run_document_query", {"path": saved.path, "name": "sweep"})
            assert answer["error"]["code"] == "invalid_argument" and session.diff() == {}
    finally:
        place.write_text(saved.text)


def test_a_table_of_documents_and_the_documents_keep_apart(depot: Depot) -> None:
    """The world's own tools and constants of that name do not take the files' place, nor the other way round."""
    text = depot.environment.model_dump_json()
    for name, there in (("stations", "documents"), ("station", "document")):
        text = text.replace(f'"{name}"', f'"{there}"')
    module = propose_tools(Environment.model_validate_json(text))
    tree = ast.parse(module.source)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert {tool.name for tool in module.tools} <= set(functions) and len(functions) == len(set(functions))
    assert {"search_documents", "search_documents_2"} <= set(functions)
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in assigned]
    constants = [target.id for target in targets if isinstance(target, ast.Name)]
    assert len(constants) == len(set(constants)) and "_DOCUMENTS_TABLE" in constants
