"""The source of a tool, before anything runs."""

from __future__ import annotations

import ast

import pytest

from schemas.tools import Tool
from tasks.authors.llm.coder.designs import spec_of
from tasks.authors.llm.coder.source import joined, source_problem, unfenced
from tasks.authors.llm.coder.writing import offered
from tests.tasks.authors.llm.coder.parks import FLOOR_SOURCE, LOAD_SOURCE, floor, load_design, profile


@pytest.fixture(scope="module")
def tool() -> Tool:
    return spec_of(load_design(), profile(), floor()).tool


def test_a_plain_function_is_accepted(tool: Tool) -> None:
    assert source_problem(LOAD_SOURCE, tool, FLOOR_SOURCE) == ""
    assert source_problem(f"import math, sqlite3\nfrom typing import Any\n{LOAD_SOURCE}", tool, FLOOR_SOURCE) == ""


HEAD = "def get_park_load(park_id: int):\n"


@pytest.mark.parametrize(
    "source",
    [
        "def get_park_load(park_id: int) -> dict:\n    return {",
        "def get_load(park_id: int):\n    return {}",
        "def get_park_load(park: int):\n    return {}",
        "def get_park_load(park_id: int = 1):\n    return {}",
        "def get_park_load(**arguments):\n    return {}",
        f"{HEAD}    return {{}}\n\nprint('loaded')",
        f"{HEAD}    return {{}}\n\ndef _rows(sql, values):\n    return []",
        f"CACHE = {{}}\n{HEAD}    return {{}}",
        f"@staticmethod\n{HEAD}    return {{}}",
        f"async {HEAD}    return {{}}",
        f"class get_park_load:\n    pass\n{HEAD}    return {{}}",
        f"import os\n{HEAD}    return {{}}",
        f"{HEAD}    import socket\n    return {{}}",
        f"from urllib.request import urlopen\n{HEAD}    return {{}}",
        f"from math import *\n{HEAD}    return {{}}",
        f"from . import tools\n{HEAD}    return {{}}",
        f"from json import dumps as _rows\n{HEAD}    return {{}}",
        f"import collections as Any\n{HEAD}    return {{}}",
        f"{HEAD}    return eval('1')",
        f"{HEAD}    return open('world.db').read()",
        f"{HEAD}    return __import__('os').environ",
        f"{HEAD}    return ().__class__.__base__",
        f"{HEAD}    global _rows\n    _rows = None\n    return {{}}",
        f"{HEAD}    return {{}}  # {'x' * 9000}",
        "",
    ],
)
def test_what_is_refused(tool: Tool, source: str) -> None:
    assert source_problem(source, tool, FLOOR_SOURCE)


def test_joined_adds_the_function_and_the_imports_that_lack() -> None:
    source = f"import math\nimport sqlite3\nfrom datetime import date, datetime\n\n# a note\n{LOAD_SOURCE}"
    module = joined(FLOOR_SOURCE, source)
    tree = ast.parse(module)
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)][-2:] == ["get_park", "get_park_load"]
    assert module.endswith(LOAD_SOURCE)
    assert module.count("import sqlite3") == 1
    for line in ("import math", "from datetime import date", "from datetime import datetime"):
        assert module.count(f"\n{line}\n") == 1
    assert joined(FLOOR_SOURCE, LOAD_SOURCE) == f"{FLOOR_SOURCE}\n\n{LOAD_SOURCE}"


@pytest.mark.parametrize("fenced", [f"```python\n{LOAD_SOURCE}```", f"\n```\n{LOAD_SOURCE}\n```\n", LOAD_SOURCE])
def test_a_code_fence_is_taken_off(fenced: str) -> None:
    assert unfenced(fenced) == LOAD_SOURCE


def test_what_the_module_offers_is_private_and_before_the_first_tool() -> None:
    lines = offered(FLOOR_SOURCE)
    assert (
        lines[1] == "def _rows(sql: str, values: list[Any]) -> list[dict[str, Any]]: Run a query and return its rows."
    )
    assert [line.split("(")[0] for line in lines] == ["def _db", "def _rows", "def _refuse"]
    own = "class _Table: ...\n_PARKS = _Table()\nMOST = 3\ndef _find(table: _Table): ...\ndef _whole(value): ...\n"
    assert [line.split("(")[0] for line in offered(own)] == ["MOST = 3", "def _whole"]
