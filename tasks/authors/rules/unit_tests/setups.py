"""Setups: calls made before a call so that it is answered otherwise.

What another call used up is refused, what another gave back works again, nothing works twice that
must not. Calls are related by what they touch: one that changes rows that the other one looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from schemas.operations import Action
from tasks.authors.rules.unit_tests.interpreter import Applied, Reading, Refusal
from tasks.authors.rules.unit_tests.moves import Board, Move, Step, Trial
from tasks.authors.rules.unit_tests.state import State
from tasks.authors.rules.unit_tests.trials import Draw, Focus, Scale, at_bounds, first_turn, scale_of, steps_of

CALLS_TRIED = 8
"""Calls of one other move tried before a call."""
SURE, MOST_TRIED = 8, 60
"""Working calls before which others are tried, and how many at most, for a guard that refused none."""
LONGEST = 7
"""Calls after which something must be used up."""
ONLY = "only after"
"""Said of a call that is answered otherwise without its setup."""
_PER_SORT = 2


def draw_setups(draw: Draw, move: Move, trials: Sequence[Trial]) -> list[Trial]:
    """Return calls after others that change their answer, the most telling ones first."""
    found = [*_repeated(draw.board, move, trials), *_used_up(draw, move, trials)]
    for trial in _probed(trials):
        for writer in _writers(draw.board, move):
            found += _after_one(draw, move, trial, writer)
            if isinstance(move.operation, Action) and trial.outcome.reading.gaps:
                found += _tuned(draw, move, trial, writer)
    return [*found, *_never_refused(draw, move, [*trials, *found])]


def _never_refused(draw: Draw, move: Move, trials: Sequence[Trial]) -> list[Trial]:
    """Return calls that guards refuse only after others, for guards that refused none so far."""
    found: list[Trial] = []
    guards = range(len(move.operation.guards)) if isinstance(move.operation, Action) else ()
    for guard in [guard for guard in guards if not any(trial.sort == ("guard", guard) for trial in trials)]:
        works = [trial for trial in trials if trial.sort[0] == "works" and not trial.setup]
        nearest = sorted(works, key=lambda trial: abs(trial.outcome.reading.gaps.get(guard, 0.0)))[:SURE]
        tried = (
            after
            for trial in nearest
            for writer in _writers(draw.board, move)
            for after in (*_after_one(draw, move, trial, writer), *_tuned(draw, move, trial, writer))
        )
        found += [after for after in islice(tried, MOST_TRIED) if after.sort == ("guard", guard)][:_PER_SORT]
    return found


def _writers(board: Board, move: Move) -> list[Move]:
    """Return the moves that write what `move` looks at, itself among them."""
    return [other for other in board.moves if isinstance(other.operation, Action) and other.writes & move.reads]


def _probed(trials: Sequence[Trial]) -> list[Trial]:
    """Return some calls of each answer that rows decide: the one that shows most, those nearest to a bound."""
    chosen: list[Trial] = []
    for sort in sorted({trial.sort for trial in trials if trial.sort[0] in ("works", "guard")}):
        alike = [trial for trial in trials if trial.sort == sort]
        nearest = min(alike, key=_distance)
        chosen += [nearest] if sort[0] == "guard" else [alike[0], nearest]
    besides = [trial for trial in trials if trial.sort[0] == "works" and trial.outcome.reading.itself]
    chosen += [min(besides, key=_distance)] if besides else []
    return list({id(trial): trial for trial in chosen}.values())


def _distance(trial: Trial) -> float:
    """Return how far a call's nearest comparison is from its bound."""
    return min((abs(gap) for gap in trial.outcome.reading.gaps.values()), default=1e9)


def _repeated(board: Board, move: Move, trials: Sequence[Trial]) -> Iterator[Trial]:
    """Yield working calls made twice."""
    if not isinstance(move.operation, Action):
        return
    for trial in [trial for trial in trials if trial.sort[0] == "works"][:2]:
        yield _trial(board, move, trial, steps_of(trial, move), f"{ONLY} itself")


def _trial(board: Board, move: Move, trial: Trial, setup: tuple[Step, ...], why: str) -> Trial:
    state = board.after(setup)
    assert state is not None, "setups are made of calls that work"
    return Trial(trial.arguments, board.run(move.operation, trial.arguments, state, len(setup)), setup, why)


def _after_one(draw: Draw, move: Move, trial: Trial, writer: Move) -> Iterator[Trial]:
    """Yield the call after a related one of `writer` that changes what it answers, best so that it turns."""
    board, found = draw.board, []
    for step, state in _related(draw, trial, writer):
        after = Trial(trial.arguments, board.run(move.operation, trial.arguments, state, 1), (step,))
        if _says(after.outcome) != _says(trial.outcome):
            found.append((after, state))
    if not found:
        return
    after, state = min(found, key=lambda pair: pair[0].sort == trial.sort)
    flips = after.sort != trial.sort
    yield replace(after, why=f"{ONLY if flips else 'after'} {writer.tool.name}")
    if isinstance(move.operation, Action) and after.sort[0] in ("works", "guard"):
        for bound in at_bounds(board, move, after, state):
            yield replace(bound, why=f"{bound.why}, {ONLY} {writer.tool.name}") if flips else bound


def _tuned(draw: Draw, move: Move, trial: Trial, writer: Move) -> Iterator[Trial]:
    """Yield the call on both sides of where a number of a call before it turns its answer."""
    board = draw.board
    for step, _ in _related(draw, trial, writer):
        for argument in writer.arguments:
            scale = scale_of(argument, board.environment.clock_start)
            if scale is None or argument.name not in step.arguments:
                continue

            def tried(point: int, step: Step = step, name: str = argument.name, scale: Scale = scale) -> Trial | None:
                setup = (Step(writer, step.arguments | {name: scale.at(point)}),)
                state = board.after(setup)
                if state is None:
                    return None
                return Trial(trial.arguments, board.run(move.operation, trial.arguments, state, 1), setup)

            turn, last = first_turn(scale.points, tried)
            if turn:
                yield from (replace(t, why=f"just {t.sort[0]} {ONLY} {writer.tool.name}") for t in turn)
                return
            if last is not None:
                yield replace(last, why=f"after all that {writer.tool.name} can do")


def _says(outcome: Applied | Refusal) -> object:
    return outcome.row if isinstance(outcome, Applied) else outcome.code


def _related(draw: Draw, trial: Trial, writer: Move) -> Iterator[tuple[Step, State]]:
    """Yield working calls of `writer` that change rows that the trial looks at, and the state after each."""
    board, reading = draw.board, trial.outcome.reading
    for arguments in draw.calls(writer, CALLS_TRIED, _focus(draw, reading)):
        outcome = board.run(writer.operation, arguments, board.start)
        if isinstance(outcome, Applied) and _touches(outcome.state, reading):
            yield Step(writer, arguments), outcome.state


def _focus(draw: Draw, reading: Reading) -> Focus:
    """Return the keys of the rows that a call found or counted, and of those that these are about, by domain."""
    focus: Focus = {}
    for table, key in (*sorted(reading.rows, key=repr), *reading.counted):
        focus.setdefault(draw.keys.of_key(table), []).append(key)
    for table, column, value in sorted(reading.groups, key=repr):
        if column and value is not None:
            focus.setdefault(draw.keys.domain(table, column), []).append(value)
    return focus


def _touches(state: State, reading: Reading) -> bool:
    for table, rows in state.changed.items():
        for key, row in rows.items():
            versions = [version for version in (row, state.tables[table].row(key)) if version is not None]
            if (table, key) in reading.rows:
                return True
            for name, column, value in reading.groups:
                if name == table and (not column or any(version[column] == value for version in versions)):
                    return True
    return False


def _used_up(draw: Draw, move: Move, trials: Sequence[Trial]) -> Iterator[Trial]:
    """Yield a call that just works after others, and the same refused after one more.

    Where no call works yet, one that is refused until others have made up what it lacks.
    """
    works = [t for t in trials if t.sort[0] == "works" and t.outcome.reading.gaps]
    counted = [t for t in works if t.outcome.reading.groups]
    lacking = [t for t in trials if t.sort[0] == "guard" and t.outcome.reading.gaps]
    for trial in sorted(counted if works else lacking, key=_distance)[:_PER_SORT]:
        for writer in _writers(draw.board, move):
            setups = list(_repeating(draw, move, trial, writer))
            if setups:
                yield from setups
                break


def _repeating(draw: Draw, move: Move, trial: Trial, writer: Move) -> Iterator[Trial]:
    """Yield the call before and after its answer turns, while calls of `writer` bring it nearer to that."""
    board, setup = draw.board, ()  # type: tuple[Board, tuple[Step, ...]]
    state, before = board.start, trial
    focus = _focus(draw, trial.outcome.reading)
    for arguments in draw.calls(writer, LONGEST * 4, focus):
        outcome = board.run(writer.operation, arguments, state, len(setup))
        if not isinstance(outcome, Applied) or not _touches(outcome.state, trial.outcome.reading):
            continue
        tried = (*setup, Step(writer, arguments))
        answer = Trial(trial.arguments, board.run(move.operation, trial.arguments, outcome.state, len(tried)), tried)
        if answer.sort != trial.sort and answer.sort[0] in ("works", "guard"):
            yield replace(answer, why=f"{ONLY} {len(tried)} calls")
            if setup:
                yield replace(before, why="the last that is left")
            return
        if _is_nearer(answer.outcome.reading, before.outcome.reading):
            setup, state, before = tried, outcome.state, answer
            if len(setup) == LONGEST:
                return


def after_another(draw: Draw, move: Move, trial: Trial) -> list[Trial]:
    """Return the working call after one of another move that it does not depend on; [] when there is none."""
    board = draw.board
    for other in (other for other in board.moves if other is not move):
        for arguments in draw.calls(other, CALLS_TRIED):
            outcome = board.run(other.operation, arguments, board.start)
            if not isinstance(outcome, Applied):
                continue
            answer = board.run(move.operation, trial.arguments, outcome.state, 1)
            if isinstance(answer, Applied):
                return [Trial(trial.arguments, answer, (Step(other, arguments),), f"after {other.tool.name}")]
    return []


def _is_nearer(now: Reading, before: Reading) -> bool:
    return any(abs(gap) < abs(before.gaps.get(guard, gap)) for guard, gap in now.gaps.items())
