"""Unit tests of actions and views: calls found by search, with what the interpreter says of them."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.operations import Action
from schemas.tools import Expectation, TestCase, ToolTest
from tasks.authors.rules.overlays.draws import draw
from tasks.authors.rules.unit_tests.climbing import climb
from tasks.authors.rules.unit_tests.interpreter import Applied, Refusal
from tasks.authors.rules.unit_tests.keys import Keys
from tasks.authors.rules.unit_tests.moves import Board, Move, Trial
from tasks.authors.rules.unit_tests.oracle import Oracle
from tasks.authors.rules.unit_tests.selection import choose_trials
from tasks.authors.rules.unit_tests.setups import after_another, draw_setups
from tasks.authors.rules.unit_tests.subject import Subject, unknown_key
from tasks.authors.rules.unit_tests.trials import Draw, draw_trials, vary_trials


@dataclass(frozen=True)
class Search:
    """What the search for calls of an environment's operations shares."""

    board: Board
    keys: Keys


def open_search(board: Board, seed: int) -> Search:
    """Return a search whose choices depend on the environment and the seed alone."""
    return Search(board, Keys(board.tables, board.moves, f"{board.environment.id}/{seed}"))


def operation_tests(subject: Subject, search: Search) -> list[ToolTest]:
    """Return the tests of the tool of one action or view; none when no call was found that works."""
    move = search.board.move_of(subject.tool)
    if move is None:
        return []
    drawing = Draw(search.board, search.keys, subject.rng, draw)
    trials, setups = find_trials(drawing, move, subject.oracle)
    chosen = choose_trials(search.board, move, trials, setups)
    if not any(trial.sort[0] == "works" for trial in chosen):
        return []
    plain = [trial for trial in chosen if trial.sort[0] == "works" and not trial.setup]
    if len(plain) == 1 and sum(trial.sort[0] == "works" for trial in chosen) == 1:
        chosen += after_another(drawing, move, plain[0])
    return _cases([_test(subject, search.board, move, trial) for trial in chosen])


def find_trials(drawing: Draw, move: Move, oracle: Oracle) -> tuple[list[Trial], list[Trial]]:
    """Return all calls found of one move: without setup, and after others."""
    trials = draw_trials(drawing, move)
    trials += climb(drawing, move, trials)
    trials += vary_trials(drawing, move, trials, lambda table: unknown_key(oracle, oracle.profile.table(table)))
    return trials, draw_setups(drawing, move, trials)


def _test(subject: Subject, board: Board, move: Move, trial: Trial) -> ToolTest:
    calls = [step.call for step in trial.setup]
    arguments = move.renamed(trial.arguments)
    if isinstance(trial.outcome, Refusal):
        state = board.after(trial.setup)
        changes = state.counts() if state is not None else {}
        return subject.refusal(_name(trial), arguments, trial.outcome.code, calls, changes)
    case: TestCase = "edge" if trial.setup or trial.why else "works"
    return subject.test(_name(trial), case, arguments, _expectation(move, trial.outcome), calls)


def _name(trial: Trial) -> str:
    """Return what a test shows: 'not_enough_seats: seats at its bound'."""
    result = trial.outcome.code if isinstance(trial.outcome, Refusal) else "works"
    return f"{result}: {trial.why}" if trial.why else result


def _expectation(move: Move, outcome: Applied) -> Expectation:
    """Expect the row as the result, and of the state every cell that is another one than before."""
    after = {}
    for table, rows in outcome.state.difference().items():
        for key, (old, new) in rows.items():
            for column, value in (new or {}).items():
                if old is None or old[column] != value:
                    after[f"{table}.{key}.{column}"] = value
    is_write = isinstance(move.operation, Action)
    return Expectation(result=outcome.row, changes=outcome.state.counts(), after=after if is_write else {})


def _cases(tests: list[ToolTest]) -> list[ToolTest]:
    """Call one of the working calls an edge, or plain, where there is none: the last, or the first without setup."""
    cases = {test.case for test in tests}
    place = None
    if "edge" not in cases:
        place = max((i for i, test in enumerate(tests) if test.case == "works"), default=None)
    elif "works" not in cases:
        place = min((i for i, test in enumerate(tests) if test.case == "edge" and not test.setup), default=None)
    other: TestCase = "works" if "edge" in cases else "edge"
    return [test.model_copy(update={"case": other}) if i == place else test for i, test in enumerate(tests)]
