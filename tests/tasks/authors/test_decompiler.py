"""What the compiler writes is read back as it was, plain Python means what Python says, and the rest is refused."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.programs import Call, Program
from schemas.tasks import DraftKind
from tasks.authors.compiler import compile_program
from tasks.authors.decompiler import UnsupportedPython, read_program
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.syntax import nodes_of
from tests.tasks.authors.rules.drafts.handwritten import handwritten_tasks
from tests.tasks.proving_ground import ProvingGround

ROWS = [
    {"id": 1, "size": 5, "kind": "a"},
    {"id": 2, "size": 3, "kind": "b"},
    {"id": 3, "size": 9, "kind": "a"},
    {"id": 4, "size": 7, "kind": "b"},
]
KINDS: tuple[DraftKind, ...] = ("document", "graph", "programmatic", "practice")


def tool(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A world of one table; the tool `change` refuses odd ids."""
    if name == "get":
        return next(row for row in ROWS if row["id"] == arguments["id"])
    if name == "change" and arguments["id"] % 2:
        return {"error": {"code": "odd", "message": ""}}
    return {"items": [dict(row) for row in ROWS], "total": len(ROWS)}


def run(source: str) -> dict[str, Any]:
    """Run a source of this file, or what was compiled of it."""
    namespace: dict[str, Any] = {"mean": lambda values: sum(values := list(values)) / len(values)}
    exec(source, namespace)
    answer: dict[str, Any] = namespace["solve"](tool)
    return answer


def solve(body: str, answer: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return (
        f"def solve(call):\n    page = call('search', limit=4)\n    rows = page['items']\n{lines}    return {answer}\n"
    )


def same_text(program: Program) -> None:
    source = compile_program(program)
    read = read_program(source)
    assert compile_program(read) == source
    assert calls_that_may_refuse(read) == calls_that_may_refuse(program)


def calls_that_may_refuse(program: Program) -> list[str]:
    return [node.bind for node in nodes_of(program) if isinstance(node, Call) and node.may_refuse]


@pytest.mark.parametrize("draft", handwritten_tasks(), ids=lambda draft: draft.shape)
def test_programs_written_by_hand_are_read_back(draft: Any) -> None:
    same_text(draft.program)


@pytest.mark.parametrize("kind", KINDS)
def test_programs_of_the_rules_are_read_back(records: ProvingGround, kind: DraftKind) -> None:
    drafts = list(islice(RulesAuthor().propose_tasks(kind, records.setting, 3), 25))
    for draft in drafts:
        same_text(draft.program)


EQUIVALENTS = {
    "filter by another name": ("big = [r for r in rows if r['size'] > 4]", "{'n': len(big)}"),
    "filter within": ("pass", "{'n': len([r for r in rows if r['size'] > 4 if r['kind'] == 'a'])}"),
    "sum with a condition": ("pass", "{'n': sum(r['size'] for r in rows if r['kind'] == 'a')}"),
    "counting ones": ("pass", "{'n': sum(1 for r in rows if r['size'] >= 5)}"),
    "mean": ("pass", "{'n': round(sum(r['size'] for r in rows) / len(rows), 2), 'm': mean(r['size'] for r in rows)}"),
    "mean beside a division": ("pass", "{'n': 48 / (sum(r['size'] for r in rows) / len(rows))}"),
    "sorted and sliced": (
        "top = sorted(rows, key=lambda r: r['size'], reverse=True)[:2]",
        "{'ids': [r['id'] for r in top]}",
    ),
    "sorted by two": ("rows.sort(key=lambda r: (r['kind'], -r['size']))", "{'ids': [r['id'] for r in rows]}"),
    "max by key": ("best = max(rows, key=lambda r: r['size'])", "{'id': best['id']}"),
    "min by key within": ("pass", "{'id': min(rows, key=lambda r: r['size'])['id']}"),
    "call within": ("pass", "{'size': call('get', id=call('search')['items'][-1]['id'])['size']}"),
    "adding up": (
        "total = 0\nfor r in rows:\n    total += r['size']\n    count = len(rows)",
        "{'t': total, 'c': count}",
    ),
    "continue": (
        "kept = []\nfor r in rows:\n    if r['kind'] == 'a':\n        continue\n    one = call('get', id=r['id'])\n"
        "    if one['size'] < 5:\n        continue\n    kept.append(one['id'])",
        "{'kept': kept}",
    ),
    "elif and not": (
        "a = []\nfor r in rows:\n    if not r['size'] > 5:\n        a.append('small')\n    elif r['kind'] == 'a':\n"
        "        a.append('big a')\n    else:\n        a.append('big b')",
        "{'a': a}",
    ),
    "refusals": (
        "done = []\nleft = []\nfor r in rows:\n    result = call('change', id=r['id'])\n    if 'error' not in result:\n"
        "        done.append({'id': r['id']})\n    else:\n        left.append(result['error']['code'])",
        "{'done': [d['id'] for d in done], 'left': left}",
    ),
    "chained comparison": ("pass", "{'n': len([r for r in rows if 3 < r['size'] <= 7])}"),
    "get and annotations": ("first: dict = rows[0]", "{'id': first.get('id')}"),
    "words for values": ("pass", "{'w': {'a': 'round', 'b': 'flat'}[rows[1]['kind']]}"),
    "a docstring and a number": (
        "'''What it does.'''\nlimit = 4.5",
        "{'n': len([r for r in rows if r['size'] > limit])}",
    ),
}


@pytest.mark.parametrize("name", EQUIVALENTS)
def test_plain_python_means_what_python_says(name: str) -> None:
    source = solve(*EQUIVALENTS[name])
    program = read_program(source)
    assert run(compile_program(program)) == run(source)
    assert compile_program(read_program(compile_program(program))) == compile_program(program)


def test_a_call_whose_refusal_is_asked_for_may_be_refused() -> None:
    assert calls_that_may_refuse(read_program(solve(*EQUIVALENTS["refusals"]))) == ["result"]


REFUSED = {
    "not Python": ("def solve(call):\n    return {", 2, "not Python"),
    "no solve": ("x = 1\n", 1, "no function solve"),
    "an import": ("import os\ndef solve(call):\n    return {'a': 1}\n", 1, "only solve"),
    "a function of its own": ("def help():\n    pass\ndef solve(call):\n    return {'a': 1}\n", 1, "only solve"),
    "another _sorted_by": (
        "def _sorted_by(rows, *keys):\n    return []\n" + solve("x = _sorted_by(rows, ('id', True))", "{'a': x}"),
        1,
        "only solve",
    ),
    "no answer": ("def solve(call):\n    x = call('search')\n", 2, "must end with return"),
    "while": (solve("while page:\n    pass", "{'a': 1}"), 4, "not supported"),
    "an early return": (solve("if rows[0]['id'] == 1:\n    return {'a': 1}", "{'a': 2}"), 5, "at the end"),
    "attributes": (solve("x = rows.__class__", "{'a': 1}"), 4, "no value"),
    "another function": (solve("x = open('world.db')", "{'a': 1}"), 4, "not supported"),
    "a bare truth": (solve("if page:\n    x = 1", "{'a': 1}"), 4, "compare two values"),
    "or": (solve("if rows[0]['id'] == 1 or rows[0]['id'] == 2:\n    x = 1", "{'a': 1}"), 4, "join conditions with"),
    "membership": (solve("if rows[0]['id'] in [1, 2]:\n    x = 1", "{'a': 1}"), 4, "compared by"),
    "a call within a comprehension": (
        solve("x = [call('get', id=r['id']) for r in rows]", "{'a': 1}"),
        4,
        "use a for loop",
    ),
    "reckoning within a comprehension": (
        solve("x = [r['size'] * 2 for r in rows]", "{'a': 1}"),
        4,
        "field of the item",
    ),
    "a tool's name that is worked out": (solve("x = call(rows[0]['kind'])", "{'a': 1}"), 4, 'call\\("tool"'),
    "arguments in a dict": (solve("x = call('get', **rows[0])", "{'a': 1}"), 4, "by their names"),
    "a name of the program's own": (solve("sum = 0", "{'a': 1}"), 4, "may be called sum"),
    "a hidden name": (solve("x = _hidden", "{'a': 1}"), 4, "may be called _hidden"),
    "an outer item": (
        solve("for item in rows:\n    x = [r for r in rows if r['id'] == item['id']]", "{'a': 1}"),
        5,
        "another name",
    ),
    "powers": (solve("x = rows[0]['id'] ** 9", "{'a': 1}"), 4, "added, subtracted"),
    "a slice of unknown length": (solve("x = rows[:rows[0]['id']]", "{'a': 1}"), 4, "written out"),
    "a default": (solve("x = rows[0].get('id', 0)", "{'a': 1}"), 4, "without a default"),
    "infinity": (solve("x = 1e999", "{'a': 1}"), 4, "no value"),
    "depth": ("def solve(call):\n    return {'a': " + "(" * 3000 + "1" + ")" * 3000 + "}\n", 1, "nested|not Python"),
    "length": ("#" * 50_000, 1, "longer"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_rest_is_refused_with_its_line(name: str) -> None:
    source, line, reason = REFUSED[name]
    with pytest.raises(UnsupportedPython, match=reason) as refused:
        read_program(source)
    assert refused.value.line == line or name in ("not Python", "depth")


@given(st.sampled_from([solve(*pair) for pair in EQUIVALENTS.values()]), st.integers(0, 2**32))
def test_a_damaged_source_is_read_or_refused(source: str, seed: int) -> None:
    """No damage to a text makes the reader fail otherwise than by saying so, and what it read compiles again."""
    rng = random.Random(seed)
    text = list(source)
    for _ in range(rng.randint(1, 6)):
        text[rng.randrange(len(text))] = rng.choice("()[]{}'=:. _-+abcr1\n")
    try:
        program = read_program("".join(text))
    except UnsupportedPython:
        return
    assert compile_program(read_program(compile_program(program))) == compile_program(program)
