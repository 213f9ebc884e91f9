"""Progress of a run in a terminal: one bar, what is worked on now, and at the end who was refused.

Elsewhere Prefect's own log lines are the progress.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from prefect.logging.handlers import PrefectConsoleHandler
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from flows.progress import Step, listening
from schemas.errors import UsageError

DONE = {
    "mine": "mined",
    "build_tools": "with tools",
    "complexify": "rounds",
    "synthesize": "with tasks",
    "evaluate": "evaluated",
    "collect": "attempted",
}
DOING = {
    "mine": "mining",
    "build_tools": "building tools for",
    "complexify": "complexifying",
    "synthesize": "drafting tasks for",
    "evaluate": "evaluating in",
    "collect": "attempting tasks of",
}
MOST_SHOWN = 6
"""Lines of themes in work: as many as the default pool has workers, and some more."""
TASK_LOGGER = "prefect.task_runs"
MOST_REFUSED = 20
REDRAWS_A_SECOND = 4


class Board:
    """What a terminal shows of a run: told of starts and ends, drawn as one bar and a few lines.

    The time left is the mean length of each stage's finished task runs over what remains of it,
    shared by the task runs that work side by side. Starts come from the workers' threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.refused: dict[str, str] = {}
        self._clock = clock
        self._began = clock()
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str], float] = {}
        self._seconds: dict[str, list[float]] = {stage: [] for stage in DONE}
        self._ended: Counter[str] = Counter()
        self._failed = 0
        self._done = self._total = 0
        self._totals: Mapping[str, int] = {}

    def start(self, stage: str, name: str) -> None:
        """Note that a task run began to work; one that is found done already never does."""
        with self._lock:
            self._running[stage, name] = self._clock()

    def end(self, step: Step) -> None:
        """Note that a task run ended, in whatever state."""
        with self._lock:
            began = self._running.pop((step.stage, step.name), None)
            self._done, self._total, self._totals = step.done, step.total, step.totals
            self._ended[step.stage] += 1
            self._failed += step.state not in ("Completed", "Cached")
            if step.refused is not None:
                self.refused.setdefault(step.name, step.refused)
            elif began is not None:
                self._seconds[step.stage].append(self._clock() - began)

    def seconds_left(self) -> float | None:
        """Return about how long the run still takes; None as long as no task run has ended."""
        known = [duration for durations in self._seconds.values() for duration in durations]
        if not known or not self._total:
            return None
        left = 0.0
        for stage, durations in self._seconds.items():
            remaining = max(0, self._totals.get(stage, 0) - self._ended[stage])
            left += remaining * (sum(durations or known) / len(durations or known))
        return left / max(1, len(self._running))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the bar with its figures, the counts by stage, and the task runs at work, the oldest first."""
        with self._lock:
            grid = Table.grid(padding=(0, 1), expand=True)
            grid.add_column(ratio=1)
            grid.add_column(justify="right", no_wrap=True)
            bar = ProgressBar(total=max(1, self._total), completed=self._done, pulse=not self._total)
            grid.add_row(bar, Text(self._figures()))
            yield grid
            yield Text(f"  {self._counts()}", no_wrap=True, overflow="ellipsis")
            oldest = sorted(self._running.items(), key=lambda item: item[1])
            for (stage, name), began in oldest[:MOST_SHOWN]:
                line = f"  {DOING[stage]} {name}, {self._clock() - began:.0f} s"
                yield Text(line, no_wrap=True, overflow="ellipsis")
            if len(oldest) > MOST_SHOWN:
                yield Text(f"  and {len(oldest) - MOST_SHOWN} more")

    def _figures(self) -> str:
        told = f"{self._done}/{self._total or '?'} steps, {_clock_time(self._clock() - self._began)}"
        left = self.seconds_left()
        ended = self._total and self._done == self._total
        return told if left is None or ended else f"{told}, about {_clock_time(left)} left"

    def _counts(self) -> str:
        if not self._total:
            return "the first theme is not through its first stage yet"
        told = [
            f"{self._ended[stage]}/{self._totals[stage]} {words}"
            for stage, words in DONE.items()
            if self._totals.get(stage)
        ]
        told += [f"{len(self.refused)} refused"] if self.refused else []
        told += [f"{self._failed} failed"] if self._failed else []
        return ", ".join(told)


@contextmanager
def showing_progress() -> Iterator[Board | None]:
    """Show how far the run is, on stderr, while the context is open; at the end, the refused themes.

    Gives the board of a terminal, which is to be told of starts; None elsewhere.
    """
    terminal = Console(stderr=True, highlight=False)
    if not terminal.is_terminal:
        with _console_logs(logging.INFO):
            yield None
        return
    board = Board()
    live = Live(board, console=terminal, refresh_per_second=REDRAWS_A_SECOND)
    with _console_logs(logging.ERROR), listening(board.end), live:
        yield board
    _print_refused(terminal, board.refused)


@contextmanager
def hearing_starts(board: Board) -> Iterator[None]:
    """Tell the board when a task run of this process enters Running; names of task runs end with the theme's."""
    from tasks.build_tools import build_tools
    from tasks.collect import collect_environment
    from tasks.complexify import complexify
    from tasks.evaluate import evaluate_environment
    from tasks.mine import mine
    from tasks.synthesize import synthesize

    hooks, quiet = [], _WithoutHooks()
    logging.getLogger(TASK_LOGGER).addFilter(quiet)
    stages: dict[str, Any] = {
        "mine": mine,
        "build_tools": build_tools,
        "complexify": complexify,
        "synthesize": synthesize,
        "evaluate": evaluate_environment,
        "collect": collect_environment,
    }
    for stage, task in stages.items():

        def tell_board(task: Any, run: Any, state: Any, stage: str = stage) -> None:
            board.start(stage, run.name.rpartition(" ")[2])

        task.on_running(tell_board)
        hooks.append((task, tell_board))
    try:
        yield
    finally:
        logging.getLogger(TASK_LOGGER).removeFilter(quiet)
        for task, hook in hooks:
            task.on_running_hooks.remove(hook)


class _WithoutHooks(logging.Filter):
    """Leave out Prefect's two lines about each hook: they are about the terminal, and would fill a run's log."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not re.match(r"(Running hook|Hook) 'tell_board'", record.getMessage())


def _print_refused(terminal: Console, refused: dict[str, str]) -> None:
    if not refused:
        return
    terminal.print(f"{len(refused)} {'theme was' if len(refused) == 1 else 'themes were'} refused:")
    for name, reason in sorted(refused.items())[:MOST_REFUSED]:
        terminal.print(Text(f"  {name}: {reason}"))
    if len(refused) > MOST_REFUSED:
        terminal.print(f"  and {len(refused) - MOST_REFUSED} more: factory sql --named rejections")


def _clock_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


class _WithoutTraceback(logging.Filter):
    """Take the traceback off a mistake that the user can mend; its message says what to do."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], UsageError):
            record.exc_info = record.exc_text = None
        return True


@contextmanager
def _console_logs(level: int) -> Iterator[None]:
    """Let Prefect's logs of that level and above through to the terminal; the server gets all of them."""
    loggers = [logging.getLogger(), *(logging.getLogger(name) for name in list(logging.root.manager.loggerDict))]
    handlers = {h for logger in loggers for h in logger.handlers if isinstance(h, PrefectConsoleHandler)}
    before = {handler: handler.level for handler in handlers}
    shield = _WithoutTraceback()
    for handler in handlers:
        handler.setLevel(level)
        handler.addFilter(shield)
    try:
        yield
    finally:
        for handler in handlers:
            handler.setLevel(before[handler])
            handler.removeFilter(shield)
