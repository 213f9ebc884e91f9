"""Worker processes of a run: what is computed in one does not wait for the interpreter of another.

Threads share one interpreter, and a factory without models only computes. Every task run reads and writes the warehouse
by itself, one at a time, so nothing but its parameters and its reference passes between the processes.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from prefect.context import FlowRunContext
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from schemas.settings import AuthorSettings, Settings

COLLECTION = (20_000, 20, 50)
"""Garbage is looked for a thirtieth as often: a worker lives on rows and syntax trees, which make little of it."""
RUNNING = "prefect.task-run.Running"

OnStart = Callable[[str, str], None]
"""Called with a stage and a theme's name."""


def worker_processes(count: int, on_start: OnStart | None = None) -> ProcessPoolTaskRunner:
    """Return a runner of `count` worker processes, which end with this one, however it ends.

    `on_start` is told of each task run that begins to work, by a thread of this process; the workers then leave the
    terminal to it.
    """
    runner = ProcessPoolTaskRunner(max_workers=count, initializer=_attach, initargs=(on_start is not None,))
    if on_start is not None:
        runner.set_subprocess_message_processor_factories([lambda: partial(hear_start, on_start)])
    return runner


def processes_for(settings: Settings, authors: AuthorSettings, themes: int | None) -> int:
    """Return in how many processes so many themes (None: some) are worked on; 0: in threads of the flow's own process.

    A run that waits for models shares one endpoint, its limits and its budget; one theme's stages follow each other; and
    to find that all is done takes less time than to start a process.
    """
    waits = authors.of(*AuthorSettings.model_fields) == "llm"
    return 0 if waits or themes in (0, 1) or settings.workers == 1 else settings.workers


@contextmanager
def new_workers(count: int) -> Iterator[None]:
    """Let the task runs that are submitted inside work in processes that nobody used before: `count`; 0: in threads.

    What a process holds on to after a task run (a high-water mark of memory, caches) goes with it. A flow that was given
    worker processes keeps who listens to them.
    """
    context = FlowRunContext.get()
    if context is None:
        yield
        return
    kind = _workers_like(context.task_runner, count)
    try:
        with kind as runner, context.model_copy(update={"task_runner": runner}):
            yield
    finally:
        for left in multiprocessing.active_children():  # a flow that crashed may leave some, and its end waits for them
            left.terminate()


def _workers_like(given: TaskRunner[Any], count: int) -> TaskRunner[Any]:
    """Return a runner of processes, of the given one's kind where that has some, or of threads."""
    if not count:
        return ThreadPoolTaskRunner(max_workers=Settings().workers)
    return given.duplicate() if isinstance(given, ProcessPoolTaskRunner) else worker_processes(count)


def _attach(quiet: bool) -> None:
    """Tie this worker process to the one that started it: Ctrl-C ends it at once, and so does that one's end."""
    gc.set_threshold(*COLLECTION)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, name="end with parent", daemon=True).start()
    if quiet:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open as long as the process lives


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def hear_start(on_start: OnStart, kind: str, message: Any) -> tuple[str, Any]:
    """Pass on what a worker process tells Prefect; tell `on_start` when a task run enters Running."""
    if kind == "event" and message.event == RUNNING:
        run = message.payload["task_run"]
        on_start(run["task_key"].rpartition("-")[0], run["name"].rpartition(" ")[2])
    return kind, message
