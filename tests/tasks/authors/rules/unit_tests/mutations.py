"""Bugs to inject into a tool module: operators over its syntax tree, one mutant a place.

An operator looks at one node and yields what could stand there instead. The mutant of a tool is
its module with one such change, in the tool's own function or in what that function reaches.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Replacement = tuple[str, ast.AST | None]
"""What changes, in words, and the new node; None deletes a statement."""
Operator = Callable[[ast.AST], Iterator[Replacement]]
Path = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class Mutant:
    """One injected bug: its kind, the function or constant it sits in, and the whole changed module."""

    kind: str
    owner: str
    detail: str
    source: str


def mutate(source: str, lifecycles: Sequence[set[str]]) -> list[Mutant]:
    """Return every mutant of a module, in the order of its text.

    `lifecycles` are the statuses of each table that has some, for mistakes that an author could make.
    """
    tree = ast.parse(source)
    operators = OPERATORS | _status_operators(lifecycles) | {"wrong_reference": _wrong_reference(tree)}
    lines = source.splitlines(keepends=True)
    found = []
    for statement in tree.body:
        owner = _owner(statement)
        if owner is None:
            continue
        places = list(_places(statement, ()))
        for kind, operator in operators.items():
            for path, node in places:
                for detail, new in operator(node):
                    changed = ast.unparse(_replaced(statement, path, new))
                    text = "".join([*lines[: statement.lineno - 1], changed, "\n", *lines[statement.end_lineno :]])
                    found.append(Mutant(kind, owner, f"{owner}: {detail}", text))
    return found


def reach(source: str) -> dict[str, set[str]]:
    """Return function or constant → the module's functions and constants that it uses, directly or not, and itself."""
    owners = {owner: s for s in ast.parse(source).body if (owner := _owner(s)) is not None}
    uses = {
        owner: {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id in owners} - {owner}
        for owner, statement in owners.items()
    }
    reached = {}
    for owner in owners:
        seen, waiting = {owner}, [owner]
        while waiting:
            for used in sorted(uses[waiting.pop()] - seen):
                seen.add(used)
                waiting.append(used)
        reached[owner] = seen
    return reached


def _owner(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.FunctionDef):
        return statement.name
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _places(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node below a statement with the way to it; docstrings and annotations are no code."""
    yield path, node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_text:
                yield from _places(child, (*path, (name, index)))


def _replaced(statement: ast.stmt, path: Path, new: ast.AST | None) -> ast.stmt:
    root = copy.deepcopy(statement)
    node: ast.AST = root
    for name, index in path[:-1]:
        value = getattr(node, name)
        node = value if index is None else value[index]
    name, index = path[-1]
    if index is None:
        setattr(node, name, new)
    elif new is None:
        getattr(node, name)[index] = ast.Pass()
    else:
        getattr(node, name)[index] = new
    return ast.fix_missing_locations(root)


# --- Operators on text (SQL and codes) ----------------------------------------------------


def _text(*rules: tuple[str, str]) -> Operator:
    """Return an operator that applies each (pattern, replacement) to string constants, one match at a time."""

    def operator(node: ast.AST) -> Iterator[Replacement]:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return
        for pattern, replacement in rules:
            for match in re.finditer(pattern, node.value):
                new = node.value[: match.start()] + match.expand(replacement) + node.value[match.end() :]
                if new != node.value:
                    yield f"{node.value.strip()!r} becomes {new.strip()!r}", ast.Constant(new)

    return operator


def _wrong_error_code(node: ast.AST) -> Iterator[Replacement]:
    if _calls(node, "_refuse") and isinstance(node.args[0], ast.Constant):
        code = node.args[0].value
        other = "invalid_argument" if code != "invalid_argument" else "not_found"
        yield f"refuses with {other} for {code}", _with_argument(node, 0, ast.Constant(other))


# --- Operators on conditions --------------------------------------------------------------


def _conditions(node: ast.AST) -> list[ast.Tuple]:
    """Return the (SQL, value) pairs of a list of conditions; [] for any other node."""
    if not isinstance(node, ast.List) or not node.elts:
        return []
    pairs = [
        e for e in node.elts if isinstance(e, ast.Tuple) and len(e.elts) == 2 and isinstance(e.elts[0], ast.Constant)
    ]
    return pairs if len(pairs) == len(node.elts) else []


def _dropped_filter(node: ast.AST) -> Iterator[Replacement]:
    pairs = _conditions(node)
    for index, pair in enumerate(pairs):
        yield f"without {ast.unparse(pair)}", ast.List([p for i, p in enumerate(pairs) if i != index], ast.Load())


def _wrong_column(node: ast.AST) -> Iterator[Replacement]:
    """Swap the column of a condition for that of the next one of its form; a sort's or group's for the key."""
    pairs = _conditions(node)
    for index, pair in enumerate(pairs):
        rule, column = _form(pair)
        others = [_form(p)[1] for p in [*pairs[index + 1 :], *pairs[:index]] if _form(p)[0] == rule]
        others = [other for other in others if other != column]
        if others:
            text = pair.elts[0].value.replace(column, others[0])
            new = [*pairs[:index], ast.Tuple([ast.Constant(text), pair.elts[1]], ast.Load()), *pairs[index + 1 :]]
            yield f"{column} mistaken for {others[0]}", ast.List(new, ast.Load())
    if _calls(node, "_quoted") and ast.unparse(node.args[0]) in ("sort_by", "measure", "group_by"):
        yield (
            f"{ast.unparse(node)} mistaken for the key",
            _with_argument(node, 0, ast.parse("table.key", mode="eval").body),
        )


def _wrong_reference(tree: ast.Module) -> Operator:
    """Return an operator that lists children by another reference or category of their table."""
    groups = {
        statement.targets[0].id: [e.value for k in statement.value.keywords if k.arg == "groups" for e in k.value.elts]
        for statement in tree.body
        if isinstance(statement, ast.Assign) and _calls(statement.value, "_Table")
    }

    def operator(node: ast.AST) -> Iterator[Replacement]:
        if not _calls(node, "_page") or not (pairs := _conditions(node.args[1])):
            return
        column = _form(pairs[0])[1]
        for other in groups[node.args[0].id]:
            if other != column:
                pair = ast.Tuple([ast.Constant(f"{other} = ?"), pairs[0].elts[1]], ast.Load())
                yield f"{column} mistaken for {other}", _with_argument(node, 1, ast.List([pair], ast.Load()))

    return operator


def _form(pair: ast.Tuple) -> tuple[str, str]:
    """Return a condition's form without its column, and the column: ('{} >= ?', 'distance')."""
    text = str(pair.elts[0].value)  # type: ignore[attr-defined]
    column = re.sub(r"contains\(|, \?\)|( >=| <=| =) \?", "", text)
    return text.replace(column, "{}"), column


# --- Operators on order and pages ---------------------------------------------------------


def _reversed_sort(node: ast.AST) -> Iterator[Replacement]:
    if isinstance(node, ast.IfExp) and {ast.unparse(node.body), ast.unparse(node.orelse)} == {"'DESC'", "'ASC'"}:
        yield "ascending and descending swapped", ast.IfExp(node.test, node.orelse, node.body)
        yield "always ascending", ast.Constant("ASC")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and "value" in ast.unparse(node):
        yield f"{ast.unparse(node)} without its sign", node.operand


def _ties_by_chance(node: ast.AST) -> Iterator[Replacement]:
    """Leave out the key at the end of an order, or the order of equal groups."""
    if isinstance(node, ast.JoinedStr) and len(node.values) > 2:
        *start, comma, last = node.values
        is_key = isinstance(last, ast.FormattedValue) and ast.unparse(last.value) in ("key", "_quoted(table.key)")
        if is_key and isinstance(comma, ast.Constant) and comma.value == ", ":
            yield f"{ast.unparse(node)} without the key", ast.JoinedStr(start)
    if (
        isinstance(node, ast.Expr)
        and ast.unparse(node).startswith("groups.sort")
        and "'value'" not in ast.unparse(node)
    ):
        yield f"without {ast.unparse(node)}", None


def _offset_ignored(node: ast.AST) -> Iterator[Replacement]:
    if isinstance(node, ast.List) and any(ast.unparse(e) == "offset" for e in node.elts):
        elements = [ast.Constant(0) if ast.unparse(e) == "offset" else e for e in node.elts]
        yield "rows from the start", ast.List(elements, ast.Load())
    if isinstance(node, ast.BinOp) and ast.unparse(node) == "offset + limit":
        yield "next offset without the offset", ast.Name("limit", ast.Load())


def _limit_off_by_one(node: ast.AST) -> Iterator[Replacement]:
    if isinstance(node, ast.List):
        for index, element in enumerate(node.elts):
            if ast.unparse(element) in ("limit", "count"):
                more = ast.BinOp(element, ast.Add(), ast.Constant(1))
                yield "one row more", ast.List([*node.elts[:index], more, *node.elts[index + 1 :]], ast.Load())
    if isinstance(node, ast.Compare) and ast.unparse(node) == "end < total":
        yield "a next page after the last", ast.Compare(node.left, [ast.LtE()], node.comparators)


def _wrong_default(node: ast.AST) -> Iterator[Replacement]:
    """Change the default of a limit or count."""
    if not isinstance(node, ast.arguments):
        return
    names = [a.arg for a in node.args][len(node.args) - len(node.defaults) :]
    for index, (name, default) in enumerate(zip(names, node.defaults, strict=True)):
        if name in ("limit", "count") and isinstance(default, ast.Constant):
            new = copy.deepcopy(node)
            new.defaults[index] = ast.Constant(default.value + 1)
            yield f"{name} is {default.value + 1} by default", new


# --- Operators on rules of writes ---------------------------------------------------------


def _missing_precondition(node: ast.AST) -> Iterator[Replacement]:
    """Delete an `if` that only returns a refusal, or ignore a refusal that was computed."""
    if isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Return) and not node.orelse:
        returned = node.body[0].value
        refuses = any(_calls(returned, name) for name in ("_refuse", "_missing", "_stuck"))
        if refuses or ast.unparse(node.body[0]) == "return refusal":
            yield f"without 'if {ast.unparse(node.test)}'", None
    if isinstance(node, ast.BoolOp) and ast.unparse(node.values[0]) == "refusal":
        yield "without the refusal", node.values[1]
    if isinstance(node, ast.IfExp) and _calls(node.body, "_missing"):
        yield f"without '{ast.unparse(node.test)}'", node.orelse


def _status_operators(lifecycles: Sequence[set[str]]) -> dict[str, Operator]:
    """Return the operators that mistake one status for another of the same table."""

    def others(statuses: Sequence[str]) -> list[str]:
        lifecycle = next((known for known in lifecycles if set(statuses) <= known), set())
        return sorted(lifecycle - set(statuses))

    def allowed(node: ast.AST) -> Iterator[Replacement]:
        """Refuse a status that is allowed, or allow one that is not."""
        if not isinstance(node, ast.Compare) or "status" not in ast.unparse(node.left):
            return
        compared = node.comparators[0]
        right = [e for e in getattr(compared, "elts", [compared]) if isinstance(e, ast.Constant)]
        if not right or not all(isinstance(e.value, str) for e in right):
            return
        for element in right:
            fewer = ast.Tuple([e for e in right if e is not element], ast.Load())
            yield f"not from {element.value}", ast.Compare(node.left, [ast.NotIn()], [fewer])
        for status in others([e.value for e in right]):
            more = ast.Tuple([*right, ast.Constant(status)], ast.Load())
            yield f"also from {status}", ast.Compare(node.left, [ast.NotIn()], [more])

    def target(node: ast.AST) -> Iterator[Replacement]:
        """Write another status than the right one."""
        if isinstance(node, ast.Dict):
            for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
                is_status = isinstance(key, ast.Constant) and key.value == "status" and isinstance(value, ast.Constant)
                for wrong in others([value.value])[:1] if is_status else []:
                    values = [*node.values[:index], ast.Constant(wrong), *node.values[index + 1 :]]
                    yield f"{wrong} for {value.value}", ast.Dict(node.keys, values)

    def counted(node: ast.AST) -> Iterator[Replacement]:
        """Count rows of another status, or of any."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return
        for match in re.finditer(r"status (?:IN \(([^)]*)\)|= ('[^']*'))", node.value):
            listed = re.findall(r"'([^']*)'", match[0])
            wrong = [tuple(s for s in listed if s != status) for status in listed if len(listed) > 1]
            wrong += [(*listed, status) for status in others(listed)]
            for statuses in wrong:
                condition = f"status IN ({', '.join(map(repr, statuses))})"
                text = node.value[: match.start()] + condition + node.value[match.end() :]
                yield f"counts {', '.join(statuses)} for {', '.join(listed)}", ast.Constant(text)
            text = node.value[: match.start()] + "1" + node.value[match.end() :]
            yield f"counts any status for {', '.join(listed)}", ast.Constant(text)

    return {"wrong_allowed_status": allowed, "wrong_target": target, "counts_wrong_status": counted}


def _missing_write(node: ast.AST) -> Iterator[Replacement]:
    """Leave out a statement that writes, the commit around it, or one of the columns."""
    if isinstance(node, ast.Expr) and re.match(r"_db\(\)\.execute\(|_delete\(|_insert\(", ast.unparse(node)):
        yield f"without {ast.unparse(node)[:60]}", None
    if isinstance(node, ast.Assign) and _calls(node.value, "_update"):
        yield f"without {ast.unparse(node)[:60]}", None
    if isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr) == "_db()":
        yield "without commit", ast.If(ast.Constant(True), node.body, [])
    if _calls(node, "_update") and isinstance(node.args[2], ast.Dict) and len(node.args[2].keys) > 1:
        written = node.args[2]
        for index, key in enumerate(written.keys):
            keys = [k for i, k in enumerate(written.keys) if i != index]
            values = [v for i, v in enumerate(written.values) if i != index]
            yield f"{ast.unparse(key)} not written", _with_argument(node, 2, ast.Dict(keys, values))


def _wrong_arithmetic(node: ast.AST) -> Iterator[Replacement]:
    """Subtract what is to be added, and the other way round, in what operations compute."""
    if not isinstance(node, ast.BinOp) or isinstance(node.right, ast.Constant):
        return
    if isinstance(node.op, ast.Sub):
        yield f"plus in {ast.unparse(node)}", ast.BinOp(node.left, ast.Add(), node.right)
    if isinstance(node.op, ast.Add) and any(isinstance(side, ast.Subscript) for side in (node.left, node.right)):
        yield f"minus in {ast.unparse(node)}", ast.BinOp(node.left, ast.Sub(), node.right)


_NEXT_ORDER: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.Lt: ast.LtE(), ast.LtE: ast.Lt()
}  # fmt: skip


def _bound_off_by_one(node: ast.AST) -> Iterator[Replacement]:
    """Refuse what just fits, or accept one too many, in a guard."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare) or len(node.test.ops) != 1:
        return
    wrong = _NEXT_ORDER.get(type(node.test.ops[0]))
    returned = node.body[0].value if isinstance(node.body[0], ast.Return) else None
    if wrong is None or not _calls(returned, "_refuse"):
        return
    test = node.test
    changed = {
        "bound on the other side": ast.Compare(test.left, [wrong], test.comparators),
        "one more": ast.Compare(test.left, test.ops, [ast.BinOp(test.comparators[0], ast.Add(), ast.Constant(1))]),
    }
    for words, new in changed.items():
        yield f"{words} in {ast.unparse(test)}", ast.If(new, node.body, [])


def _case_sensitive(node: ast.AST) -> Iterator[Replacement]:
    if isinstance(node, ast.Compare) and ast.unparse(node) == "part.lower() in text.lower()":
        yield "case counts", ast.parse("part in text", mode="eval").body
        yield "only at the start", ast.parse("text.lower().startswith(part.lower())", mode="eval").body


def _calls(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _with_argument(call: ast.AST, index: int, argument: ast.expr) -> ast.Call:
    assert isinstance(call, ast.Call)
    return ast.Call(call.func, [*call.args[:index], argument, *call.args[index + 1 :]], call.keywords)


OPERATORS: dict[str, Operator] = {
    "exclusive_bound": _text((r">= \?", "> ?"), (r"<= \?", "< ?")),
    "dropped_filter": _dropped_filter,
    "wrong_column": _wrong_column,
    "reversed_sort": _reversed_sort,
    "ties_by_chance": _ties_by_chance,
    "offset_ignored": _offset_ignored,
    "limit_off_by_one": _limit_off_by_one,
    "wrong_default": _wrong_default,
    "wrong_figure": _text(
        (r"^AVG", "SUM"), (r"^SUM", "AVG"), (r"^MIN", "MAX"), (r"^MAX", "MIN"), (r"^COUNT\(\*\)$", "COUNT({0})")
    ),
    "null_handling": _text(
        (r" IS NULL, ", " IS NOT NULL, "),
        (r" IS NOT NULL", " IS NOT 0"),
        (r"^AVG\(\{0\}\)$", "AVG(COALESCE({0}, 0))"),
        (r"^MIN\(\{0\}\)$", "MIN(COALESCE({0}, 0))"),
    ),
    "case_sensitive": _case_sensitive,
    "missing_precondition": _missing_precondition,
    "missing_write": _missing_write,
    "wrong_error_code": _wrong_error_code,
    "counts_wrong_rows": _text(
        (r"(SELECT (?:COUNT|COALESCE).* WHERE \w+) = \?", r"\1 >= ?"), (r"_id <> \?", "_id >= ?")
    ),
    "wrong_arithmetic": _wrong_arithmetic,
    "bound_off_by_one": _bound_off_by_one,
}
"""Kind of bug → its operator."""
