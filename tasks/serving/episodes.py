"""Episodes: many sessions at once, each with a task's world, capped in number and closed when idle.

What the server holds of a task (`ServedTask.checks`) stays here: `shown` is all that a client sees.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from ..sandbox.errors import WorkerFault
from ..verification.checks import evaluate
from ..world.bundle import Bundle
from ..world.errors import StateUnreadable, ToolsNotLoaded
from ..world.session import Session, World, state_identity

LONGEST_ID = 255
ANNOUNCED = ("name", "type", "item_type", "description", "unit")
"""What a client is told of an answer's field: what the request says anyway."""


class Declined(Exception):
    """A request that is not carried out: an HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass(frozen=True)
class ServingLimits:
    """What one server allows: `most_sessions` at once, `idle_s` seconds without a request, `request_kb` KiB a body."""

    most_sessions: int = 512
    idle_s: float = 900.0
    request_kb: int = 256


@dataclass(frozen=True)
class ServedTask:
    """A task as a server needs it. `checks` are the expected answer: they never leave the process."""

    id: str
    environment_id: str
    request: str
    answer_fields: list[dict[str, Any]]
    checks: list[dict[str, Any]] = field(repr=False)
    disturbances: Mapping[str, int] = field(default_factory=dict, repr=False)
    kind: str = "programmatic"

    @classmethod
    def read(cls, task: Mapping[str, Any]) -> ServedTask:
        """Take from a stored task (AgentTask's fields) what a server needs."""
        fields = [
            {name: part[name] for name in ANNOUNCED if part.get(name) is not None} for part in task["answer_fields"]
        ]
        disturbances = dict(task.get("disturbances") or {})
        place = (task["id"], task["environment_id"], task["request"])
        return cls(*place, fields, list(task["checks"]), disturbances, task["kind"])

    def shown(self) -> dict[str, Any]:
        """Return what a client may see."""
        return {
            "task_id": self.id,
            "environment_id": self.environment_id,
            "request": self.request,
            "answer_fields": self.answer_fields,
        }


@dataclass
class Episode:
    """One attempt: a task (None: free play), its world's session, and how far it went."""

    id: str
    task: ServedTask | None
    session: Session
    seed: str
    calls: int = 0
    done: bool = False
    used: float = field(default_factory=monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environment_id(self) -> str:
        """The id of the environment it happens in."""
        return self.session.bundle.environment_id

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool; the result, or {"error": {"code", "message"}}."""
        self.calls += 1
        return self.session.call(tool, arguments)

    def state(self) -> dict[str, Any]:
        """Return what the episode did so far: calls, faults of tools, and the rows that changed."""
        about = {"session_id": self.id, "environment_id": self.environment_id, "calls": self.calls}
        about |= {"task_id": self.task.id if self.task else None, "faults": self.session.faults, "done": self.done}
        try:
            diff = self.session.diff()
        except StateUnreadable as error:
            raise Declined(500, "state_unreadable", str(error)) from error
        return {**about, "state_id": state_identity(self.session.bundle.world_sha256, diff), "diff": diff}

    def verify(self, answer: Any) -> dict[str, Any]:
        """Judge the answer and the final state: the verdict and its reward, 1 pass, 0 fail, None error.

        The state is read from a copy by a fresh worker, never where the agent's tools ran. One that
        cannot be read is an error: the tools broke it, which is not the agent's failure.
        """
        if self.task is None:
            raise Declined(409, "no_task", "this session has no task to verify; reset it with a task_id")
        try:
            diff = self.session.diff(copied=True)
        except StateUnreadable as error:
            verdict: dict[str, Any] = {"outcome": "error", "results": [], "detail": str(error)}
        else:
            verdict = evaluate(self.task.checks, answer, diff, self.session.bundle.contract)
        return {**verdict, "reward": {"pass": 1.0, "fail": 0.0}.get(verdict["outcome"])}


class Episodes:
    """The episodes of one server. For many threads."""

    def __init__(
        self,
        world: World,
        bundles: Mapping[str, Bundle],
        tasks: Mapping[str, ServedTask],
        limits: ServingLimits = ServingLimits(),
    ) -> None:
        """`bundles`: environment id or name → bundle. `tasks`: id → task, of these environments."""
        self.bundles, self.tasks, self.limits = dict(bundles), dict(tasks), limits
        self._world = world
        self._episodes: dict[str, Episode] = {}
        self._opening: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._reaper = threading.Thread(target=self._reap, name="idle sessions", daemon=True)
        self._reaper.start()

    def __len__(self) -> int:
        return len(self._episodes)

    def open(
        self,
        task_id: str | None,
        environment: str | None = None,
        seed: str | None = None,
        episode_id: str | None = None,
    ) -> Episode:
        """Open an episode of a task, or of an environment without one.

        `seed`: attempts with one seed start alike; the default is the task's id, as in its gold run.
        Declined for an unknown name, an id in use, and beyond the cap.
        """
        task = self._task(task_id) if task_id is not None else None
        bundle = self._bundle(task.environment_id if task else environment)
        seed = seed or (task.id if task else bundle.environment_id)
        episode_id = episode_id or secrets.token_hex(16)
        self._reserve(episode_id)
        try:
            episode = Episode(episode_id, task, self._start(bundle, seed, task), seed)
            with self._lock:
                if not self._stopped.is_set():
                    self._episodes[episode_id] = episode
                    return episode
            episode.session.close()
            raise Declined(503, "stopping", "the server is stopping")
        finally:
            with self._lock:
                self._opening.discard(episode_id)

    @contextmanager
    def use(self, episode_id: str) -> Iterator[Episode]:
        """Hold an episode for one request; requests of one episode wait for each other."""
        episode = self._episodes.get(episode_id)
        if episode is None:
            raise _unknown(episode_id)
        with episode.lock:
            if self._episodes.get(episode_id) is not episode:  # closed while this request waited
                raise _unknown(episode_id)
            episode.used = monotonic()
            try:
                yield episode
            finally:
                episode.used = monotonic()

    def close(self, episode_id: str) -> bool:
        """Close an episode; False when there is none of that id."""
        with self._lock:
            episode = self._episodes.pop(episode_id, None)
        if episode is None:
            return False
        with episode.lock:
            episode.session.close()
        return True

    def close_all(self) -> None:
        """Stop, and close every episode."""
        self._stopped.set()
        for episode_id in list(self._episodes):
            self.close(episode_id)

    def _task(self, task_id: str) -> ServedTask:
        if task_id not in self.tasks:
            raise Declined(404, "unknown_task", f"no task {task_id} is served here; ask GET /v1/tasks")
        return self.tasks[task_id]

    def _bundle(self, environment: str | None) -> Bundle:
        if environment is None:
            raise Declined(400, "nothing_named", "name a task_id or an environment")
        if environment not in self.bundles:
            raise Declined(404, "unknown_environment", f"no environment {environment}; ask GET /v1/environments")
        return self.bundles[environment]

    def _reserve(self, episode_id: str) -> None:
        """Take a place for an id that is about to be opened."""
        with self._lock:
            if episode_id in self._episodes or episode_id in self._opening:
                raise Declined(409, "session_exists", f"session {episode_id} is open already; close it first")
            if len(self._episodes) + len(self._opening) >= self.limits.most_sessions:
                raise Declined(503, "too_many_sessions", f"{self.limits.most_sessions} sessions are open; close some")
            self._opening.add(episode_id)

    def _start(self, bundle: Bundle, seed: str, task: ServedTask | None) -> Session:
        try:
            return self._world.open(bundle, seed, task.disturbances if task else {})
        except ToolsNotLoaded as error:
            raise Declined(500, "tools_not_loaded", str(error)) from error
        except (WorkerFault, OSError) as error:
            raise Declined(503, "no_worker", f"no worker could be started: {error}") from error

    def _reap(self) -> None:
        """Close what nobody used for a while, until the server stops."""
        while not self._stopped.wait(min(self.limits.idle_s / 4, 5.0)):
            before = monotonic() - self.limits.idle_s
            for episode_id, episode in list(self._episodes.items()):
                if episode.used < before and not episode.lock.locked():
                    self.close(episode_id)


def _unknown(episode_id: str) -> Declined:
    return Declined(404, "unknown_session", f"no session {episode_id[:64]}: never opened, closed, or idle too long")
