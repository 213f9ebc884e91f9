"""A model's script: what it may read, where its writing goes, and that its failures are data."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tasks.authors.llm.scripting.running import run_script
from tasks.sandbox.limits import Limits
from tasks.world.session import World

FILES = {"rows.json": json.dumps([{"a": 1}, {"a": 2}]).encode(), "deep/text.txt": "é\n".encode()}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[World]:
    with World(Limits(program_wall_s=1.0)) as opened:
        yield opened


def test_it_reads_its_files_and_what_it_writes_is_told(sandbox: World) -> None:
    code = (
        "rows = load('rows.json')\nprint(sum(r['a'] for r in rows), open('deep/text.txt').read().strip())\n"
        "save('out.json', rows)\nwith open('out.csv', 'w') as f:\n    f.write('a\\n1\\n')\n"
        "def inner(): return len(rows)\nprint(inner())"
    )
    run = run_script(sandbox, code, FILES)
    assert (run.printed, run.error) == ("3 é\n2\n", "")
    assert run.saved == {"out.json": '[{"a": 1}, {"a": 2}]', "out.csv": "a\n1\n"}
    assert list(sandbox.folder.glob("script-*")) == []


def test_equal_scripts_answer_alike(sandbox: World) -> None:
    code = "import random, time, uuid\nprint(random.random(), time.time(), uuid.uuid4())"
    assert run_script(sandbox, code, {}) == run_script(sandbox, code, {})


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = 1\n1 / 0", "line 2: ZeroDivisionError: division by zero"),
        ("def", "SyntaxError"),
        ("while True: pass", "timed_out"),
        ("raise SystemExit(1)", "line 1: SystemExit: 1"),
        ("open('missing.json')", "FileNotFoundError"),
        ("open('/etc/hostname')", "Error"),
        ("import os; os.listdir('/')", "PermissionError"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "PermissionError"),
        ("import os; os.kill(os.getpid(), 9)", ""),
        ("x = 'a' * 10**10", "MemoryError"),
    ],
)
def test_what_it_fails_with_is_told(code: str, error: str, sandbox: World) -> None:
    run = run_script(sandbox, code, FILES)
    assert run.error and error in run.error and not run.saved


def test_a_report_that_it_forges_is_no_report(sandbox: World) -> None:
    forged = "import sys\nsys.modules['program'].run_code = 1\nsys.modules['program'].solve = 2\nprint('x' * 10**6)"
    assert len(run_script(sandbox, forged, {}).printed) == 50_000
