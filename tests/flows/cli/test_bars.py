"""The bar in a terminal: counts, what is at work, time left, who was refused, within the terminal's width."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from rich.console import Console

from flows.cli import bars
from flows.cli.bars import MOST_SHOWN, Board
from flows.progress import Step
from flows.workers import hear_start


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def board(clock: Clock) -> Board:
    return Board(clock)


def drawn(board: Board, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(board)
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= width
    return "\n".join(lines)


def step(
    stage: str, name: str, done: int, total: int = 6, state: str = "Completed", refused: str | None = None
) -> Step:
    totals = dict.fromkeys(("mine", "build_tools", "synthesize"), total // 3)
    return Step(stage, name, state, done, total, refused, totals)


def test_before_the_first_step(board: Board) -> None:
    assert "0/? steps, 0:00" in drawn(board) and "left" not in drawn(board)


def test_counts_what_is_at_work_and_the_time_left(board: Board, clock: Clock) -> None:
    board.start("mine", "bakery")
    clock.now += 10
    board.end(step("mine", "bakery", 1))
    board.start("build_tools", "bakery")
    board.start("mine", "museum")
    clock.now += 5
    # One theme to mine, two to give tools and tasks: five runs of some 10 s each, two side by side.
    assert board.seconds_left() == 25
    page = drawn(board)
    assert "1/6 steps, 0:15, about 0:25 left" in page
    assert "1/2 mined, 0/2 with tools, 0/2 with tasks" in page
    assert "building tools for bakery, 5 s" in page and "mining museum, 5 s" in page
    board.end(step("mine", "museum", 2))
    assert "museum" not in drawn(board)


def test_rounds_are_counted_each(board: Board, clock: Clock) -> None:
    totals = {"mine": 2, "build_tools": 2, "complexify": 4, "synthesize": 2}
    for done, number in enumerate((1, 2), start=1):
        board.start("complexify", "bakery")
        clock.now += 3
        board.end(Step("complexify", "bakery", "Completed", done, 10, None, totals))
        assert f"{number}/4 rounds" in drawn(board)
    board.start("complexify", "museum")
    assert "complexifying museum, 0 s" in drawn(board)


def test_the_end_shows_no_time_left(board: Board, clock: Clock) -> None:
    for done, stage in enumerate(("mine", "build_tools", "synthesize"), start=1):
        board.start(stage, "bakery")
        clock.now += 1
        board.end(step(stage, "bakery", done, 3))
    assert "3/3 steps, 0:03" in drawn(board) and "left" not in drawn(board)
    assert board.seconds_left() == 0


def test_what_was_found_done_is_no_measure_of_time(board: Board, clock: Clock) -> None:
    clock.now += 3
    board.end(step("mine", "bakery", 1, state="Cached"))
    assert board.seconds_left() is None


def test_refused_and_failed_are_counted_apart(board: Board) -> None:
    board.start("mine", "notes")
    for done, stage in enumerate(("mine", "build_tools", "synthesize"), start=1):
        board.end(step(stage, "notes", done, refused="too_few_rows"))
    board.end(step("mine", "bakery", 4, state="Failed"))
    assert board.refused == {"notes": "too_few_rows"}
    assert "1 refused, 1 failed" in drawn(board)
    assert board.seconds_left() is None  # a refusal takes no time, and is no measure


@pytest.mark.parametrize("width", [40, 80, 200])
def test_many_themes_with_long_names_fit(width: int, board: Board) -> None:
    for number in range(55):
        board.start("mine", f"a_theme_with_a_name_of_a_length_that_nobody_would_give_{number}")
    board.end(step("mine", "x", 1, 165))
    page = drawn(board, width)
    assert page.count("mining a_theme") == MOST_SHOWN and f"and {55 - MOST_SHOWN} more" in page
    assert len(page.splitlines()) <= MOST_SHOWN + 3


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Make stderr a terminal of 80 columns."""
    written = io.StringIO()
    monkeypatch.setattr(
        bars, "Console", lambda **_: Console(file=written, force_terminal=True, width=80, color_system=None)
    )
    yield written


def test_refused_themes_are_named_at_the_end(terminal: io.StringIO) -> None:
    with bars.showing_progress():
        from flows.progress import _listeners

        for number in range(25):
            _listeners[-1](step("mine", f"theme_{number:02d}", number + 1, 75, refused="no_rows"))
    end = terminal.getvalue().split("25 themes were refused:")[1]
    assert "theme_00: no_rows" in end and "and 5 more" in end


def test_starts_in_this_process_are_heard_without_filling_its_log(board: Board) -> None:
    from tasks.mine import mine

    with bars.hearing_starts(board):
        assert len(mine.on_running_hooks) == 1
        logger = logging.getLogger(bars.TASK_LOGGER)
        for line in ("Running hook 'tell_board' in response to entering state 'Running'", "stage=mine"):
            assert bool(logger.filter(logging.makeLogRecord({"msg": line}))) == line.startswith("stage")
    assert mine.on_running_hooks == [] and not logger.filters


def test_starts_in_a_worker_process_are_heard(board: Board) -> None:
    """What Prefect sends of a task run that enters Running is passed on as it came, whatever else it is."""
    run = {"task_key": "build_tools-8e390fd2", "name": "build tools music_store"}
    event = SimpleNamespace(event="prefect.task-run.Running", payload={"task_run": run})
    ended = SimpleNamespace(event="prefect.task-run.Completed", payload={"task_run": {**run, "name": "mine museum"}})
    for message in (("event", event), ("event", ended), ("log", {"message": "stage=mine"})):
        assert hear_start(board.start, *message) == message
    assert "building tools for music_store" in drawn(board) and "museum" not in drawn(board)
