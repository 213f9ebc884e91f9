"""The source of operations' tools: what the templates action and view are rendered with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.operations import Action, Argument, Change, Effect, Find, Guard, Insert, Remove, Value, View
from schemas.profiles import WorldProfile
from tasks.authors.rules.operations.expressions import LONGEST_TEXT, Expressions, literal, packed
from tasks.authors.rules.operations.specs import is_checked
from tasks.authors.rules.operations.walks import Conditions, effect_values, guard_values
from tasks.authors.rules.tools.names import constant_name, parameter_name
from tasks.authors.rules.tools.schemas import FORMS

WIDTH = 112
"""Longest line of a function's body."""
SHORT_ENTRY = 48
"""Characters of a dictionary's only entry that stands on one line."""
LEAST, MOST = -(2**63), 2**63 - 1
"""Whole numbers that SQLite holds."""


@dataclass
class Block:
    """Lines that run when all of `given`, optional arguments, were given."""

    given: list[str]
    lines: list[str] = field(default_factory=list)


def action_source(profile: WorldProfile, action: Action, figures: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of the template `action`: blocks of checks, finds and guards, then of effects."""
    return _ActionWriter(profile, action, figures).context()


def view_source(profile: WorldProfile, view: View, figures: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of the template `view`: its row, the lines that work its figures out, and these."""
    expressions, table = Expressions(profile, view, figures), profile.table(view.table)
    lines: list[str] = []
    computed: list[tuple[str, str]] = []
    for figure in view.figures:
        lines += expressions.define(figure.value)
        computed.append((figure.name, expressions.write(figure.value)))
    return {
        "table": table,
        "row": expressions.rows["row"],
        "key": parameter_name(table.key),
        "lines": lines,
        "figures": computed,
    }


class _ActionWriter:
    """Writes the body of one action's function."""

    def __init__(self, profile: WorldProfile, action: Action, figures: Mapping[str, str]) -> None:
        self._profile, self._action = profile, action
        self._expressions = Expressions(profile, action, figures)
        self._conditions = Conditions(action)

    def context(self) -> dict[str, Any]:
        """Return what the template needs."""
        action = self._action
        before = [block for argument in action.arguments if is_checked(argument) for block in [_check(argument)]]
        for found in action.finds:
            before += self._find(found)
        before += [self._guard(guard) for guard in action.guards]
        effects = [block for effect in action.effects for block in self._effect(effect)]
        return {"before": before, "effects": effects, "returned": self._expressions.rows[action.returns]}

    def _find(self, found: Find) -> list[Block]:
        """Return the block that finds a row; one that may be passed over is None then."""
        name, constant = self._expressions.rows[found.bind], constant_name(self._profile.table(found.table))
        given, key = self._conditions.of(found.key), self._expressions.write(found.key)
        lines = [f"{name} = _find({constant}, {key})", f"if {name} is None:", f"    return _missing({constant}, {key})"]
        return [*([Block([], [f"{name} = None"])] if given else []), Block(given, lines)]

    def _guard(self, guard: Guard) -> Block:
        """Return the block that refuses a call for which a guard does not hold."""
        values = guard_values(guard)
        block, known = Block(self._conditions.of(*values)), dict(self._expressions.locals)
        for value in values:
            block.lines += self._expressions.define(value)
        for value in guard.tells:
            block.lines += self._expressions.define_told(value)
        broken = self._expressions.broken(guard.value, guard.operator, guard.than, guard.one_of)
        message = self._expressions.message(guard.message, guard.tells)
        block.lines += [f"if {broken}:", *_refusal(guard.code, message)]
        if block.given:
            self._expressions.locals = known
        return block

    def _effect(self, effect: Effect) -> list[Block]:
        """Return the blocks of one effect; what follows sees what it left."""
        blocks = self._removal(effect) if isinstance(effect, Remove) else self._writing(effect)
        self._expressions.locals = {}
        return blocks

    def _removal(self, effect: Remove) -> list[Block]:
        row = self._expressions.rows[effect.row]
        return [Block(self._conditions.of_row(effect.row), [f"_delete({self._constant(effect.row)}, {row})"])]

    def _writing(self, effect: Insert | Change) -> list[Block]:
        """Return the blocks that add or change a row: what hangs on an optional argument is added to a dictionary."""
        needed = [] if isinstance(effect, Insert) else self._conditions.of_row(effect.row)
        blocks: list[Block] = []
        for value in effect_values(effect):
            given = sorted({*needed, *self._conditions.of(value)})
            lines = self._expressions.define(value)
            blocks += [Block(given, lines)] if lines else []
        fixed = {c: v for c, v in effect.values.items() if set(self._conditions.of(v)) <= set(needed)}
        loose = {c: v for c, v in effect.values.items() if c not in fixed}
        if not loose:
            return [*blocks, Block(needed, self._write(effect, self._dictionary(fixed)))]
        blocks.append(Block(needed, ["values: dict[str, Any] = " + "\n".join(self._dictionary(fixed))]))
        for column, value in loose.items():
            line = f"values[{literal(column)}] = {self._expressions.write(value)}"
            blocks.append(Block(sorted({*needed, *self._conditions.of(value)}), [line]))
        return [*blocks, Block(needed, self._write(effect, ["values"]))]

    def _dictionary(self, values: Mapping[str, Value]) -> list[str]:
        """Return the lines of a dictionary: one when it has one entry."""
        entries = [f"{literal(column)}: {self._expressions.write(value)}" for column, value in values.items()]
        if len(entries) < 2 and len("".join(entries)) <= SHORT_ENTRY:
            return ["{" + "".join(entries) + "}"]
        return ["{", *(f"    {entry}," for entry in entries), "}"]

    def _write(self, effect: Insert | Change, values: list[str]) -> list[str]:
        if isinstance(effect, Insert):
            row = self._expressions.rows[effect.bind]
            call = f"{row} = _insert({constant_name(self._profile.table(effect.table))}, "
        else:
            row = self._expressions.rows[effect.row]
            call = f"{row} = _update({self._constant(effect.row)}, {row}, "
        return [f"{call}{values[0]}", *values[1:-1], f"{values[-1]})"] if len(values) > 1 else [f"{call}{values[0]})"]

    def _constant(self, row: str) -> str:
        return constant_name(self._profile.table(self._expressions.tables[row]))


def _refusal(code: str, message: list[str]) -> list[str]:
    """Return the lines that refuse a call, one where it is short."""
    line = f"    return _refuse({literal(code)}, {message[0]})"
    if len(message) == 1 and len(line) <= WIDTH:
        return [line]
    return [
        "    return _refuse(",
        f"        {literal(code)},",
        *(f"        {line}" for line in message[:-1]),
        f"        {message[-1]},",
        "    )",
    ]


def _check(argument: Argument) -> Block:
    """Return the block that refuses a value which the argument cannot have."""
    name = argument.name
    wrong, must = _wrong(argument)
    words = re.findall(r"\S+\s*", f"{name} must be {must}.")
    lines = [f"if {wrong}:", *_refusal("invalid_argument", [literal(line) for line in packed(words, LONGEST_TEXT)])]
    return Block([] if argument.required else [name], lines)


def _wrong(argument: Argument) -> tuple[str, str]:
    """Return the condition under which a value is wrong, and what it must be."""
    name, least, most = argument.name, argument.minimum, argument.maximum
    if argument.choices:
        listed = literal(argument.choices)
        if len(listed) > LONGEST_TEXT:
            listed = "(\n" + "".join(f"    {literal(choice)},\n" for choice in argument.choices) + ")"
        return f"{name} not in {listed}", f"one of {', '.join(argument.choices)}"
    match argument.type:
        case "integer":
            bounds = [LEAST if least is None else int(least), MOST if most is None else int(most)]
            stated = str(bounds[0]) if bounds[0] != LEAST or most is not None else ""
            call = ", ".join([name, *([stated] if stated else []), *([str(bounds[1])] if most is not None else [])])
            return f"not _whole({call})", f"a whole number{_range(least, most)}"
        case "number" | "money":
            return f"not _number({name}, {least!r}, {most!r})", f"a number{_range(least, most)}"
        case "boolean":
            return f"not _whole({name}, 0, 1)", "1 or 0"
        case "date" | "datetime":
            return f"not _dated({name}, {literal(argument.type)})", f"a real one {FORMS[argument.type]}"
    longest = argument.longest
    if longest is None:
        return f"not _text({name})", "a text that can be printed and is not blank"
    return f"not _text({name}, {longest})", f"a text of 1 to {longest} characters"


def _range(least: float | None, most: float | None) -> str:
    lower = "" if least is None else f"{least:.15g}"
    upper = "" if most is None else f"{most:.15g}"
    if lower and upper:
        return f" from {lower} to {upper}"
    return f" of at least {lower}" if lower else f" of at most {upper}" if upper else ""
