"""Values of operations as Python expressions over local variables, with their tallies as SQL with bound values."""

from __future__ import annotations

import builtins
import json
import keyword
import re
from collections.abc import Mapping
from typing import Any

from schemas.operations import Action, Cell, Combine, Fixed, Given, Match, Now, Operations, Tally, Value, View
from schemas.profiles import WorldProfile
from tasks.authors.rules.operations.walks import parts, row_tables
from tasks.authors.rules.tools.names import parameter_name, sql_name

_PLAIN = re.compile(r"[A-Za-z0-9_ -]*")
"""Texts that stand in SQL as they are; others are bound."""
_WORDED = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NEEDED = {*keyword.kwlist, *dir(builtins), "values"}
"""Names that no row and no figure takes in a function's body."""
LONGEST_EXPRESSION = 72
LONGEST_TEXT = 96
"""Characters of a text that stands on one line."""
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def literal(value: Any) -> str:
    """Return a Python literal with double quotes, as the house style has it."""
    if isinstance(value, tuple):
        return f"({', '.join(literal(v) for v in value)}{',' if len(value) == 1 else ''})"
    if not isinstance(value, str):
        return repr(value)
    quoted = repr(value)
    plain = quoted.startswith("'") and '"' not in value
    return f'"{quoted[1:-1]}"' if plain else quoted


class Expressions:
    """Writes the values of one action or view; `arguments` and rows are local variables.

    `figures` are names for values that a view computes (see `figure_names`), for local variables to take.
    """

    def __init__(self, profile: WorldProfile, subject: Action | View, figures: Mapping[str, str]) -> None:
        self._profile, self._figures = profile, figures
        self._integers = {a.name: a.type in ("integer", "boolean") for a in getattr(subject, "arguments", ())}
        self.tables = row_tables(subject) if isinstance(subject, Action) else {"row": subject.table}
        self._taken = set(self._integers)
        wanted = {bind: bind for bind in self.tables}
        if isinstance(subject, View):
            table = profile.table(subject.table)
            self._taken, wanted = {parameter_name(table.key)}, {"row": table.singular}
        self.rows = {bind: self._name(name) for bind, name in wanted.items()}
        self.locals: dict[str, str] = {}

    def _name(self, wanted: str) -> str:
        name = free_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def write(self, value: Value) -> str:
        """Return the expression of a value; a value that has a local variable is that variable."""
        known = self.locals.get(canonical(value))
        if known is not None:
            return known
        match value:
            case Given():
                return value.name
            case Fixed():
                return literal(value.value)
            case Cell():
                return f"{self.rows[value.row]}[{literal(value.column)}]"
            case Now():
                return "_now()" if value.days is None else f"_day({value.days})"
            case Tally():
                return self._tally(value)
        return self._combination(value)

    def define(self, value: Value) -> list[str]:
        """Return the lines that give every tally in a value, and a figure made of some, a local variable of its own.

        In a long expression operands that are operations have one too.
        """
        lines = []
        for part in reversed(list(parts(value))):
            if not isinstance(part, Tally | Combine) or canonical(part) in self.locals:
                continue
            tallied = any(isinstance(inner, Tally) for inner in parts(part))
            if tallied or (part is not value and len(self.write(value)) > LONGEST_EXPRESSION):
                lines.append(self._define(part))
        return lines

    def define_told(self, value: Value) -> list[str]:
        """Return the line that gives a computed value, which a message tells, a local variable, if it has none."""
        computed = isinstance(value, Combine | Now) and canonical(value) not in self.locals
        return [self._define(value)] if computed else []

    def _define(self, value: Value) -> str:
        expression = self.write(value)
        name = self._name(self._figures.get(anonymous(value)) or _described(value))
        self.locals[canonical(value)] = name
        return f"{name} = {expression}"

    def may_be_null(self, value: Value) -> bool:
        """Tell whether a value can be null where the arguments that it mentions are given."""
        if isinstance(value, Cell):
            return self._profile.table(self.tables[value.row]).column(value.column).nullable
        if isinstance(value, Combine):
            return self.may_be_null(value.left) or self.may_be_null(value.right)
        return isinstance(value, Fixed) and value.value is None

    def is_whole(self, value: Value) -> bool:
        """Tell whether a value can only be a whole number."""
        match value:
            case Given():
                return self._integers.get(value.name, False)
            case Fixed():
                return isinstance(value.value, int)
            case Cell():
                return self._is_integer(self.tables[value.row], value.column)
            case Tally():
                return value.column is None or self._is_integer(value.table, value.column)
            case Combine():
                return self.is_whole(value.left) and self.is_whole(value.right)
        return False

    def _is_integer(self, table: str, column: str) -> bool:
        return self._profile.table(table).column(column).type in ("integer", "boolean")

    def _combination(self, value: Combine) -> str:
        left, right = self.write(value.left), self.write(value.right)
        if self.may_be_null(value):
            return f"_combined({left}, {literal(value.operator)}, {right})"
        if not self.is_whole(value):
            return f"_rounded({_inner(left)} {value.operator} {_inner(right)})"
        chained = value.operator != "*" and isinstance(value.left, Combine) and value.left.operator != "*"
        return f"{left if chained else _inner(left)} {value.operator} {_inner(right)}"

    def _tally(self, value: Tally) -> str:
        figure = "COUNT(*)" if value.column is None else f"COALESCE(SUM({sql_name(value.column)}), 0)"
        conditions, bound = [], []
        for match in value.where:
            condition, values = self._match(match)
            conditions.append(condition)
            bound += values
        if value.besides is not None:
            key = self._profile.table(value.table).key
            conditions.append(f"{sql_name(key)} <> ?")
            bound.append(f"{self.rows[value.besides]}[{literal(key)}]")
        tokens = [f"SELECT {figure} FROM {sql_name(value.table)}"]
        tokens += [f" {'AND' if place else 'WHERE'} {condition}" for place, condition in enumerate(conditions)]
        sql = "\n    ".join(map(literal, packed(tokens, LONGEST_TEXT)))
        call = f"_tally(\n    {sql},\n    [{', '.join(bound)}],\n)"
        return call if self.is_whole(value) else f"_rounded({call})"

    def _match(self, match: Match) -> tuple[str, list[str]]:
        """Return the SQL of one condition on a row, and the expressions bound in it."""
        column = sql_name(match.column)
        if match.one_of is not None:
            known = [value for value in match.one_of if value is not None]
            inline = all(isinstance(v, int) or (isinstance(v, str) and _PLAIN.fullmatch(v)) for v in known)
            listed = ", ".join(repr(v) if inline else "?" for v in known)
            null = f" OR {column} IS NULL" if len(known) < len(match.one_of) else ""
            condition = f"{column} = {listed}{null}" if len(known) == 1 else f"{column} IN ({listed}){null}"
            return (f"({condition})" if null else condition), ([] if inline else [literal(v) for v in known])
        value = match.equals
        if value is None or (isinstance(value, Fixed) and value.value is None):
            return f"{column} IS NULL", []
        if isinstance(value, Fixed) and isinstance(value.value, str) and _PLAIN.fullmatch(value.value):
            return f"{column} = '{value.value}'", []
        return f"{column} {'IS' if self.may_be_null(value) else '='} ?", [self.write(value)]

    def broken(self, value: Value, operator: str | None, than: Value | None, one_of: tuple[Any, ...] | None) -> str:
        """Return the condition under which a guard does not hold."""
        left = self.write(value)
        if one_of is not None:
            return f"{left} != {literal(one_of[0])}" if len(one_of) == 1 else f"{left} not in {literal(one_of)}"
        if operator is None or than is None:
            raise ValueError(f"a guard compares nothing: {value!r}")
        right = self.write(than)
        if isinstance(than, Fixed) and than.value is None and operator in ("==", "!=") and not isinstance(value, Fixed):
            return f"{left} {'is not' if operator == '==' else 'is'} None"
        if operator in ("==", "!=") or not (self.may_be_null(value) or self.may_be_null(than)):
            return f"{left} {_OPPOSITE[operator]} {right}"
        return f"not _compares({left}, {literal(operator)}, {right})"

    def message(self, text: str, tells: tuple[Value, ...]) -> list[str]:
        """Return the literals, one a line, of a message in which {0}, {1}, … are the values `tells`."""
        pieces = re.split(r"\{(\d+)\}", text)
        formatted = len(pieces) > 1
        tokens: list[str] = []
        for place, piece in enumerate(pieces):
            if place % 2:
                tokens.append(self._told(tells[int(piece)]))
            else:
                tokens += [_quoted(word, formatted) for word in re.findall(r"\S+\s*|\s+", piece)]
        return [f'{"f" if formatted and "{" in line else ""}"{line}"' for line in packed(tokens, LONGEST_TEXT)]

    def _told(self, value: Value) -> str:
        """Return a value's place in an f-string; its expression has no double quotes and no backslash."""
        if isinstance(value, Cell) and canonical(value) not in self.locals:
            if not _WORDED.fullmatch(value.column):
                raise ValueError(f"a message tells the column {value.column!r}: name it by a plain word")
            return f"{{{self.rows[value.row]}['{value.column}']}}"
        if isinstance(value, Fixed):
            return _quoted(str(value.value), formatted=True)
        return f"{{{self.write(value)}}}"


def packed(tokens: list[str], longest: int) -> list[str]:
    """Return the tokens joined to lines of at most `longest` characters, as far as they let themselves be broken."""
    lines = [""]
    for token in tokens:
        if lines[-1] and len(lines[-1]) + len(token) > longest:
            lines.append("")
        lines[-1] += token
    return lines


def canonical(value: Value) -> str:
    """Return a text that equal values share."""
    return value.model_dump_json()


def figure_names(operations: Operations) -> dict[str, str]:
    """Return the names of the values that views compute, whatever row they are computed for."""
    return {anonymous(figure.value): figure.name for view in operations.views for figure in view.figures}


def anonymous(value: Value) -> str:
    """Return a text that values share when they only differ in the row that they are computed for."""

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            return {k: None if k in ("row", "besides", "name") else strip(v) for k, v in node.items()}
        return [strip(item) for item in node] if isinstance(node, list) else node

    return json.dumps(strip(value.model_dump(mode="json")))


def _described(value: Value) -> str:
    """Return a name for what no view computes."""
    if isinstance(value, Now):
        return "moment"
    if not isinstance(value, Tally | Combine):
        return "value"
    if isinstance(value, Combine):
        return {"-": "left", "+": "together", "*": "product"}[value.operator]
    return f"{value.table}_counted" if value.column is None else f"{value.column}_in_all"


def free_name(wanted: str, taken: set[str]) -> str:
    """Return a local variable's name: legal, and none of `taken`."""
    stem = re.sub(r"[^a-z0-9_]+", "_", wanted.lower()).strip("_") or "row"
    stem = f"row_{stem}" if stem[0].isdigit() or stem in _NEEDED else stem
    return next(name for name in (stem, *(f"{stem}_{number}" for number in range(2, 99))) if name not in taken)


def _inner(expression: str) -> str:
    """Return an operand in parentheses where it is an operation itself."""
    return expression if re.fullmatch(r"[\w.]+(\[[^\]]*\]|\(.*\))?", expression, re.DOTALL) else f"({expression})"


def _quoted(text: str, formatted: bool) -> str:
    """Return a text as it stands between double quotes, of an f-string when `formatted`."""
    special = {"\\": "\\\\", '"': '\\"', **({"{": "{{", "}": "}}"} if formatted else {})}
    return "".join(
        special.get(c) or (c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode()) for c in text
    )
