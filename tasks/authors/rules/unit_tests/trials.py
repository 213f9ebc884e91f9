"""Trials: calls of one operation drawn from the rows, with numbers and days right at the bounds where answers turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise, zip_longest
from random import Random
from typing import Any

from schemas.operations import Action, Argument, Cell, Fixed, Given, Tally
from tasks.authors.rules.unit_tests.interpreter import Applied, Refusal
from tasks.authors.rules.unit_tests.keys import Domain, Keys
from tasks.authors.rules.unit_tests.moves import Board, Move, Step, Trial
from tasks.authors.rules.unit_tests.state import Row, State

Focus = dict[Domain, list[Any]]
"""Keys that calls should name, by what they draw from."""
DRAWN = 28
"""Calls drawn from the rows for one operation."""
BOUNDED = 10
"""Of these, calls whose numbers are moved to their bounds."""
PAIRED = 25
"""Rows that a tally counts, and others, from which several arguments are taken together."""
LEFT_OUT = 0.35
LARGEST = 2**20
DAYS = (-400, -60, -14, -1, 0, 1, 14, 60, 400)
TEXTS = ("Leaking pipe at gate B", "Loose handrail at the east stairs", "Rosa Delgado", "as agreed on the phone")
"""Free texts where no vocabulary is named."""
_BY_CHANCE = 0.3
_HUNDREDTHS = 100


@dataclass
class Draw:
    """Draws arguments for moves: keys that show most first, values that fit."""

    board: Board
    keys: Keys
    rng: Random
    vocabulary: Callable[[str, Random, str], Any]
    _paired: dict[str, list[Row]] = field(default_factory=dict)

    def calls(self, move: Move, count: int, focus: Focus | None = None) -> Iterator[Row]:
        """Yield arguments of `count` calls; keys come from `focus` about half of the time."""
        paired = self._pairs(move) if focus is None else []
        for turn in range(count):
            base = paired[turn // 3 % len(paired)] if paired and turn % 3 == 2 else {}
            yield self._arguments(move, turn, base, focus or {})

    def changed(self, move: Move, arguments: Row) -> Row:
        """Return arguments of which one, or two, are drawn anew from all that they may be."""
        paired = self._pairs(move)
        if paired and self.rng.random() < _BY_CHANCE:
            return arguments | self.rng.choice(paired)
        new = dict(arguments)
        for argument in self.rng.sample(move.arguments, min(len(move.arguments), self.rng.choice((1, 1, 2)))):
            scale = scale_of(argument, self.board.environment.clock_start)
            if not argument.required and self.rng.random() < LEFT_OUT:
                new.pop(argument.name, None)
            elif argument.key_of is not None:
                rows = self._rows(move, new, argument.name)
                new[argument.name] = self._key(argument.key_of, rows, self.rng.randrange(LARGEST), {})
            elif scale is not None and self.rng.random() < _BY_CHANCE:
                low, high = self.rng.choice(list(pairwise(scale.points[1:-1])))
                new[argument.name] = scale.at(self.rng.randint(low, high))
            else:
                new[argument.name] = self.value(argument, self.rng.randrange(LARGEST))
        return new

    def _rows(self, move: Move, arguments: Row, besides: str) -> list[tuple[str, Row]]:
        """Return the rows that arguments name, but one of these."""
        named = [(a.key_of, arguments.get(a.name)) for a in move.arguments if a.key_of and a.name != besides]
        return [(table, row) for table, key in named if (row := self.board.tables[table].row(key)) is not None]

    def value(self, argument: Argument, turn: int) -> Any:
        """Return a value that an argument may have."""
        if argument.choices is not None:
            return argument.choices[turn % len(argument.choices)]
        if argument.draws is not None:
            return self.vocabulary(argument.draws, self.rng, self.board.environment.clock_start)
        if argument.type == "boolean":
            return turn % 2
        if argument.type in ("integer", "number", "money"):
            least = 1 if argument.minimum is None else argument.minimum
            value = least + self.rng.choice((0, 1, 2, 5))
            most = value if argument.maximum is None else argument.maximum
            return (int if argument.type == "integer" else float)(min(value, most))
        if argument.type in ("date", "datetime"):
            return moved(self.board.environment.clock_start, argument.type, self.rng.randint(1, 20))
        return self.rng.choice(TEXTS)[: argument.longest]

    def _arguments(self, move: Move, turn: int, base: Row, focus: Focus) -> Row:
        arguments: Row = {}
        rows: list[tuple[str, Row]] = []
        for place, argument in enumerate(move.arguments):
            if not argument.required and self.rng.random() < LEFT_OUT:
                continue
            if argument.key_of is None:
                arguments[argument.name] = base.get(argument.name, self.value(argument, turn + place))
                continue
            key = base.get(argument.name)
            if key is None:
                key = self._key(argument.key_of, rows, turn if place == 0 else None, focus)
            row = self.board.tables[argument.key_of].row(key)
            arguments[argument.name] = key
            rows += [(argument.key_of, row)] if row is not None else []
        return arguments

    def _key(self, table: str, rows: Sequence[tuple[str, Row]], turn: int | None, focus: Focus) -> Any:
        """Return a key: of the focus, of what an earlier row refers to, the next of the order, or any."""
        ordered = self.keys.ordered(table)
        domain = self.keys.of_key(table)
        if focus.get(domain) and self.rng.random() < 0.6:
            return self.rng.choice(focus[domain])
        if rows and self.rng.random() < _BY_CHANCE:
            related = [
                row[column]
                for name, row in rows
                for column in row
                if row[column] is not None and self.keys.domain(name, column) == domain
            ]
            if related:
                return self.rng.choice(related)
        if turn is not None and not focus:
            return ordered[turn % len(ordered)]
        return self.rng.choice(ordered[: max(12, len(ordered) // 4)])

    def _pairs(self, move: Move) -> list[Row]:
        """Return arguments that together stand in one row that a guard counts, or just does not."""
        if move.tool.name not in self._paired:
            self._paired[move.tool.name] = list(self._draw_pairs(move))
        return self._paired[move.tool.name]

    def _draw_pairs(self, move: Move) -> Iterator[Row]:
        if not isinstance(move.operation, Action):
            return
        named = {find.bind: find.key.name for find in move.operation.finds if isinstance(find.key, Given)}
        for tally in move.tallies:
            places: dict[str, str] = {}
            for match in tally.where:
                if isinstance(match.equals, Given):
                    places[match.equals.name] = match.column
                elif isinstance(match.equals, Cell) and match.equals.row in named:
                    places[named[match.equals.row]] = match.column
            if tally.besides in named:
                places[named[tally.besides]] = self.board.tables[tally.table].profile.key
            if len(places) < 2:
                continue
            rows = [self.board.tables[tally.table].row(key) or {} for key in self.keys.ordered(tally.table)]
            counted = [row for row in rows if _is_counted(tally, row)]
            others = [row for row in rows if not _is_counted(tally, row)]
            for row in [row for pair in zip_longest(counted[:PAIRED], others[:PAIRED]) for row in pair if row]:
                yield {name: row[column] for name, column in places.items()}


def _is_counted(tally: Tally, row: Row) -> bool:
    """Tell whether a row meets a tally's conditions that hang on no call."""
    for match in tally.where:
        if match.one_of is not None and row[match.column] not in match.one_of:
            return False
        if isinstance(match.equals, Fixed) and row[match.column] != match.equals.value:
            return False
    return True


def moved(start: str, kind: str, days: int) -> str:
    """Return the day, or the moment, so many days after `start`."""
    moment = datetime.fromisoformat(start) + timedelta(days=days)
    return moment.date().isoformat() if kind == "date" else moment.isoformat(timespec="seconds")


@dataclass(frozen=True)
class Scale:
    """The whole numbers that stand for an argument's values, in ascending order."""

    points: tuple[int, ...]
    at: Callable[[int], Any]


def scale_of(argument: Argument, start: str) -> Scale | None:
    """Return the scale of an argument that is a number or a day; None for others."""
    if argument.key_of is not None or argument.choices is not None:
        return None
    if argument.type in ("date", "datetime"):
        return Scale(DAYS, lambda days: moved(start, argument.type, days))
    if argument.type not in ("integer", "number", "money"):
        return None
    unit = 1 if argument.type == "integer" else _HUNDREDTHS
    least = 0 if argument.minimum is None else round(argument.minimum * unit)
    most = LARGEST * unit if argument.maximum is None else round(argument.maximum * unit)
    steps = [least + unit * 2**n for n in range(0, 20, 2)]
    points = sorted({least - 1, least, *(step for step in steps if step < most), most, most + 1})
    return Scale(tuple(points), (lambda n: n) if unit == 1 else (lambda n: n / unit))


def at_bounds(board: Board, move: Move, trial: Trial, state: State) -> list[Trial]:
    """Return the calls, one number or day moved, on both sides of where the answer turns."""
    found = []
    for argument in move.arguments:
        scale = scale_of(argument, board.environment.clock_start)
        if scale is None or argument.name not in trial.arguments:
            continue

        def tried(point: int, name: str = argument.name, scale: Scale = scale) -> Trial:
            arguments = trial.arguments | {name: scale.at(point)}
            outcome = board.run(move.operation, arguments, state, len(trial.setup))
            return Trial(arguments, outcome, trial.setup)

        trials = [(point, tried(point)) for point in scale.points]
        for low, high in pairwise(trials):
            if low[1].sort != high[1].sort and _is_telling_turn(trial, low[1], high[1]):
                before, after = _turn(low, high, tried)
                found.append(replace(before, why=f"{argument.name}, of which one more {_verdict(after)}"))
                found.append(replace(after, why=f"{argument.name}, of which one less {_verdict(before)}"))
    return found


def first_turn(points: Sequence[int], tried: Callable[[int], Trial | None]) -> tuple[list[Trial], Trial | None]:
    """Return the two neighbouring calls between which the answer turns first ([] where it does not), and the last.

    Points at which nothing can be tried are passed over, up to the last one at which something can.
    """
    known = [(point, trial) for point in points if (trial := tried(point)) is not None]
    if not known:
        return [], None
    beyond = next((point for point in points if point > known[-1][0]), None)
    low = known[-1][0]
    while beyond is not None and beyond - low > 1:
        middle = (low + beyond) // 2
        low, beyond = (low, middle) if tried(middle) is None else (middle, beyond)
    last = tried(low)
    known += [(low, last)] if last is not None and low != known[-1][0] else []
    for one, other in pairwise(known):
        if one[1].sort != other[1].sort:
            return _turn(one, other, tried), last
    return [], last


def _turn(low: tuple[int, Trial], high: tuple[int, Trial], tried: Callable[[int], Trial | None]) -> list[Trial]:
    """Return the two neighbouring calls between which the answer of `low` ends."""
    while high[0] - low[0] > 1:
        middle = (low[0] + high[0]) // 2
        trial = tried(middle)
        if trial is None or trial.sort == low[1].sort:
            low = middle, trial or low[1]
        else:
            high = middle, trial
    return [low[1], high[1]]


def _is_telling_turn(trial: Trial, low: Trial, high: Trial) -> bool:
    """Tell whether a turn is worth a test: what is valid shows once, on calls that work without setup."""
    sorts = {low.sort[0], high.sort[0]}
    return "argument" not in sorts or (sorts == {"argument", "works"} and not trial.setup)


def _verdict(trial: Trial) -> str:
    return f"is {trial.outcome.code}" if isinstance(trial.outcome, Refusal) else "works"


def draw_trials(draw: Draw, move: Move) -> list[Trial]:
    """Return calls without setup that are drawn from the rows, those that change something first."""
    board, start = draw.board, draw.board.start
    drawn = [Trial(a, board.run(move.operation, a, start)) for a in draw.calls(move, DRAWN)]
    return sorted(drawn, key=_is_idle)


def vary_trials(draw: Draw, move: Move, trials: Sequence[Trial], unknown: Callable[[str], Any]) -> list[Trial]:
    """Return trials at their bounds, with what is unknown, and with what is no valid value."""
    board, start = draw.board, draw.board.start
    telling = _of_each_sort(trials, BOUNDED)
    varied = [bound for trial in telling for bound in at_bounds(board, move, trial, start)]
    works = next((trial for trial in trials if trial.sort[0] == "works"), None)
    for trial in [*([works] if works else []), *_refused_by_guards(telling)]:
        for argument in move.arguments:
            if argument.key_of is not None:
                varied.append(_with(board, move, trial, argument, unknown(argument.key_of), "unknown"))
    for trial in _refused_by_guards(telling):
        varied += _at_both_ends(board, move, trial)
    return [*varied, *(_invalid(board, move, works) if works is not None else ())]


def _at_both_ends(board: Board, move: Move, trial: Trial) -> Iterator[Trial]:
    """Yield a refused call with its numbers and days at their ends, where a later guard would refuse it too."""
    for argument in move.arguments:
        scale = scale_of(argument, board.environment.clock_start)
        if scale is not None and argument.name in trial.arguments:
            for point in (scale.points[1], scale.points[-2]):
                arguments = trial.arguments | {argument.name: scale.at(point)}
                yield Trial(arguments, board.run(move.operation, arguments, board.start))


def _is_idle(trial: Trial) -> bool:
    """Tell whether a call works and changes nothing: it shows little."""
    return isinstance(trial.outcome, Applied) and not trial.outcome.state.difference()


def _of_each_sort(trials: Iterable[Trial], most: int) -> list[Trial]:
    """Return calls that work and calls that guards refuse, in turn; those refused otherwise say nothing of numbers."""
    works = [trial for trial in trials if trial.sort[0] == "works"]
    refused = _refused_by_guards(trials)
    return [*works[: most - min(len(refused), 2)], *refused[:2]]


def _refused_by_guards(trials: Iterable[Trial]) -> list[Trial]:
    firsts = {trial.sort: trial for trial in reversed(list(trials)) if trial.sort[0] == "guard"}
    return [firsts[sort] for sort in sorted(firsts)]


def _with(board: Board, move: Move, trial: Trial, argument: Argument, value: Any, why: str) -> Trial:
    arguments = trial.arguments | {argument.name: value}
    outcome = board.run(move.operation, arguments, board.start)
    return Trial(arguments, outcome, (), f"{argument.name} {why}")


def _invalid(board: Board, move: Move, works: Trial) -> Iterator[Trial]:
    """Yield a working call with each argument on either side of what is valid, and without it."""
    for place, argument in enumerate(move.arguments):
        left = {name: value for name, value in works.arguments.items() if name != argument.name}
        if place == 0 or not argument.required:
            yield Trial(left, board.run(move.operation, left, board.start), (), f"{argument.name} left out")
        for why, value in _edges(argument):
            yield _with(board, move, works, argument, value, why)


def _edges(argument: Argument) -> Iterator[tuple[str, Any]]:
    if argument.key_of is not None:
        return
    if argument.choices is not None:
        yield "unknown", "no-such-value"
    elif argument.type == "text":
        yield "blank", "  "
        yield "on two lines", "two\nlines"
        if argument.longest is not None:
            yield "as long as can be", ("long " * argument.longest)[: argument.longest - 1] + "."
            yield "too long", "x" * (argument.longest + 1)
    elif argument.type in ("date", "datetime"):
        yield "no day", "next week"


def steps_of(trial: Trial, move: Move) -> tuple[Step, ...]:
    """Return a trial's calls, its own last."""
    return (*trial.setup, Step(move, trial.arguments))
