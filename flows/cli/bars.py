"""Progress of a run in a terminal: a bar per theme. Elsewhere Prefect's own log lines are the progress."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from prefect.logging.handlers import PrefectConsoleHandler
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from flows.progress import Step, listening
from schemas.errors import UsageError

STAGES = ("mine", "build_tools", "synthesize")
DOING = {"mine": "mining", "build_tools": "building tools", "synthesize": "synthesizing tasks", "": "done"}


@contextmanager
def showing_progress(names: list[str]) -> Iterator[None]:
    """Show how far each theme is, on stderr, while the context is open."""
    terminal = Console(stderr=True)
    if not terminal.is_terminal:
        with _console_logs(logging.INFO):
            yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description:<42}"), BarColumn(), TextColumn("{task.fields[doing]}"))
    with _console_logs(logging.ERROR), Progress(*columns, TimeElapsedColumn(), console=terminal) as progress:
        bars = {name: progress.add_task(name, total=len(STAGES), doing=DOING["mine"]) for name in names}

        def advance(step: Step) -> None:
            following = (*STAGES, "")[STAGES.index(step.stage) + 1]
            doing = DOING[following] if step.state in ("Completed", "Cached") else f"{step.stage}: {step.state}"
            progress.update(bars[step.name], advance=1, doing=doing)

        with listening(advance):
            yield


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
