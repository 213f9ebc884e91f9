"""Worlds and sessions: open a private, deterministic copy of an environment and call its tools.

    with World() as world, world.open(Bundle.load(path), seed="task 7") as session:
        session.call("get_flight", {"flight_id": 12})
        session.diff()

Whatever an author wrote runs in a jailed worker. A failed call is data; the host raises only for
what the caller did wrong, for tools that do not load, and for a state that cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..sandbox.errors import WorkerFault
from ..sandbox.limits import Limits
from ..sandbox.pool import Worker, WorkerPool
from ..sandbox.selftest import GUEST as SELF_TEST
from ..sandbox.selftest import prove
from .bundle import Bundle
from .comparison import DIFF_GUEST, Comparer
from .errors import ToolsNotLoaded
from .leftovers import clear_leftovers, hold
from .refusals import refusal
from .spending import spent_by
from .workspace import Workspace

FOLDER = "agent-world-"
"""Prefix of a world's folder in its scratch; the process's id follows."""
TOOLS_GUEST = f"{__package__}.guest"
UNDISTURBED: Mapping[str, int] = {}


@dataclass(frozen=True)
class ProgramRun:
    """What a program did: its answer or its error, and the calls it made.

    A step of `trace` is {"tool", "arguments", "observation"}. All of it was reported by the
    process in which the program ran: replay the trace with `Session.call` before believing it.
    """

    answer: dict[str, Any] | None
    trace: list[dict[str, Any]]
    error: str | None


class World:
    """A fork server and the sessions opened on it. Many threads may open sessions at once."""

    def __init__(self, limits: Limits = Limits(), scratch: Path | None = None) -> None:
        """Prepare; nothing runs before `with`. `scratch`: where workspaces go, default a temporary folder."""
        self.limits = limits
        self._scratch = scratch
        self._codes: dict[str, str] = {}
        self._sessions: set[Session] = set()
        self._lock = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._hold = -1

    def __enter__(self) -> Self:
        """Start the fork server and prove the jail; SandboxUnavailable when it does not hold.

        What a killed world left in the same scratch is removed.
        """
        scratch = self._scratch or Path(tempfile.gettempdir())
        scratch.mkdir(parents=True, exist_ok=True)
        clear_leftovers(scratch, FOLDER)
        self._pool = WorkerPool((TOOLS_GUEST, DIFF_GUEST, SELF_TEST), self.limits.backend, scratch)
        try:
            prove(self._pool)
            self._folder = tempfile.TemporaryDirectory(prefix=f"{FOLDER}{os.getpid()}-", dir=scratch)
            self._hold = hold(Path(self._folder.name))
        except BaseException:
            self._pool.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close every session and end the fork server."""
        with self._lock:
            sessions = list(self._sessions)
        for session in sessions:
            session.close()
        self._pool.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
            os.close(self._hold)

    @property
    def folder(self) -> Path:
        """This world's own folder, removed with it, or at a later start when this process is killed."""
        if self._folder is None:
            raise RuntimeError("the world is not open: write `with World() as world:`")
        return Path(self._folder.name)

    def open(self, bundle: Bundle, seed: str, disturbances: Mapping[str, int] = UNDISTURBED) -> Session:
        """Open a session on a fresh copy of the bundle's database and files.

        Sessions with one seed start alike and answer equal calls with equal bytes. `disturbances`: tool → how many of
        its first calls answer `unavailable` instead of being made.
        ToolsNotLoaded when tools.py does not compile, or fails or hangs when it is executed;
        WorkerFault or OSError when the machine has no process or disk left for a worker.
        """
        workspace = Workspace(bundle, self.folder)
        worker = None
        try:
            worker = self._start(bundle, seed, disturbances, workspace)
            self._load(bundle, worker)
        except BaseException:
            if worker is not None:
                worker.kill()
            workspace.remove()
            raise
        session = Session(self, bundle, worker, workspace, Comparer(self._pool, self.limits, bundle, workspace))
        with self._lock:
            self._sessions.add(session)
        return session

    def _start(self, bundle: Bundle, seed: str, disturbances: Mapping[str, int], workspace: Workspace) -> Worker:
        options = {"environment_id": bundle.environment_id, "seed": seed, "clock_start": bundle.clock_start}
        options |= {"disturbances": dict(disturbances)}
        return self._pool.spawn(TOOLS_GUEST, workspace.path, (), self.limits, options)

    def _load(self, bundle: Bundle, worker: Worker) -> None:
        source = bundle.tools_source.read_text(encoding="utf-8")
        identity = hashlib.sha256((bundle.schemas_sha256 + source).encode()).hexdigest()
        limits = self.limits
        try:
            code = self._codes.get(identity)
            if code is None:
                payload = {"source": source, "schemas": bundle.schemas}
                code = worker.request("compile", payload, limits.wall_s, limits.program_output_kb)
                self._codes[identity] = code
            worker.request("load", code, limits.wall_s, limits.output_kb)
        except WorkerFault as fault:
            raise ToolsNotLoaded(f"{bundle.tools_source} does not load ({fault.code}): {fault.message}") from fault

    def forget(self, session: Session) -> None:
        """Drop a closed session."""
        with self._lock:
            self._sessions.discard(session)


class Session:
    """One private copy of an environment and the worker that acts on it. For one thread at a time.

    Calls are numbered from 0, refused ones included; call k happens at clock_start + k seconds.
    `faults` counts the calls that failed through the tools' fault.
    """

    def __init__(self, world: World, bundle: Bundle, worker: Worker, workspace: Workspace, comparer: Comparer) -> None:
        self.bundle = bundle
        self.faults = 0
        self._world, self._worker, self._workspace, self._comparer = world, worker, workspace, comparer
        self._limits = world.limits
        self._calls = 0
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def list_tools(self) -> list[dict[str, Any]]:
        """Return the tools as agents see them, in the bundle's order."""
        return self.bundle.list_tools()

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool and return its result, or {"error": {"code", "message"}}.

        Codes of the runtime: unknown_tool, invalid_argument (the caller's), unavailable (a disturbance's), tool_crashed,
        output_violates_schema, reply_too_large, timed_out, worker_died, bad_reply (the tool's;
        after the last three every call answers worker_died).
        """
        payload = {"name": name, "arguments": arguments, "index": self._calls}
        self._calls += 1
        try:
            reply = self._worker.request("call", payload, self._limits.wall_s, self._limits.output_kb)
        except WorkerFault as fault:
            self.faults += fault.code != "bad_request"
            return refusal(*_blame(fault))
        return self._read(reply)

    def call_all(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Make calls one after another in one request and return what `call` would return for each.

        They share the time and the size of reply of a program; when that is too little, or the worker dies, the answer
        to each is the same error, whichever of them were made.
        """
        payload = {"calls": [[name, arguments] for name, arguments in calls], "index": self._calls}
        self._calls += len(calls)
        limits = self._limits
        try:
            replies = self._worker.request("call_all", payload, limits.program_wall_s, limits.program_output_kb)
        except WorkerFault as fault:
            self.faults += fault.code != "bad_request"
            return [refusal(*_blame(fault))] * len(calls)
        if not isinstance(replies, list) or len(replies) != len(calls):
            replies = [None] * len(calls)
        return [self._read(reply) for reply in replies]

    def _read(self, reply: Any) -> Any:
        """Return the observation that a worker's reply holds."""
        if not isinstance(reply, dict) or reply.keys() != {"value", "fault"}:
            self.faults += 1
            return refusal("bad_reply", "a forged reply")
        self.faults += bool(reply["fault"])
        return reply["value"]

    def run_program(self, source: str, skip: int | None = None) -> ProgramRun:
        """Run `solve(call)` of `source` in the session's worker (see `program.py`)."""
        limits = self._limits
        payload = {"source": source, "first": self._calls, "skip": skip, "most_calls": limits.program_calls}
        try:
            reply = self._worker.request("run_program", payload, limits.program_wall_s, limits.program_output_kb)
        except WorkerFault as error:
            code, message = _blame(error)
            self.faults += 1
            self._calls += limits.program_calls
            return ProgramRun(None, [], f"{code}: {message}")
        run = _read_run(reply, limits.program_calls)
        if run is None:
            self.faults += 1
            return ProgramRun(None, [], "bad_reply: a forged reply")
        self._calls += reply["calls"]
        self.faults += reply["faults"]
        return run

    def diff(self, copied: bool = False) -> dict[str, Any]:
        """Return what changed since the session was opened (the form is `diff.compare_worlds`').

        `copied`: of a copy of the state that the session's worker cannot write meanwhile, for verdicts.

        StateUnreadable when the database or a file is broken or the difference is beyond the limits.
        """
        self._require_open()
        return self._comparer.verdict_difference() if copied else self._comparer.difference()

    def restart(self, seed: str, disturbances: Mapping[str, int] = UNDISTURBED) -> bool:
        """Return to the bundle's state under another seed, in the same worker; calls count from 0 again.

        What the tools hold in memory stays: where that must not matter, open a session instead. False when
        the worker is dead or the workspace cannot be brought back, after which the session can only be closed.
        """
        self._require_open()
        try:
            payload = {"seed": seed, "disturbances": dict(disturbances)}
            self._worker.request("restart", payload, self._limits.wall_s, self._limits.output_kb)
        except WorkerFault:
            return False
        self._calls = 0
        return self._workspace.restore()

    def state_id(self) -> str:
        """Return the state's identity: sha256 of canonical JSON of (world_sha256, diff)."""
        return state_identity(self.bundle.world_sha256, self.diff())

    @property
    def folder(self) -> Path:
        """The private copy of the environment's files, which the tools work on."""
        return self._workspace.path

    def spent_s(self) -> float:
        """Return the CPU seconds that the session's workers say they used; 0 for one that is gone."""
        return spent_by(self._worker, self._limits) + self._comparer.spent_s()

    def close(self) -> None:
        """Kill the worker and delete the copy. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._worker.kill()
        self._comparer.close()
        self._workspace.remove()
        self._world.forget(self)

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError("the session is closed")


def state_identity(world_sha256: str, difference: dict[str, Any]) -> str:
    """Return sha256 (hex) of canonical JSON of the seed's hash and the difference from it."""
    text = json.dumps([world_sha256, difference], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


_BLAMES = {"bad_request": "invalid_argument", "raised": "tool_crashed", "died": "worker_died"}


def _blame(fault: WorkerFault) -> tuple[str, str]:
    return _BLAMES.get(fault.code, fault.code), fault.message


def _read_run(reply: Any, most_calls: int) -> ProgramRun | None:
    """Return the run that a worker reported, None when the report has another shape."""
    if not isinstance(reply, dict):
        return None
    answer, trace, error = reply.get("answer"), reply.get("trace"), reply.get("error")
    calls, faults = reply.get("calls"), reply.get("faults")
    well_formed = (
        (answer is None or isinstance(answer, dict))
        and isinstance(trace, list)
        and all(isinstance(step, dict) and step.keys() == {"tool", "arguments", "observation"} for step in trace)
        and (error is None or isinstance(error, str))
        and (answer is None) != (error is None)
        and isinstance(calls, int)
        and 0 <= calls <= most_calls
        and isinstance(faults, int)
        and 0 <= faults <= calls
    )
    return ProgramRun(answer, trace, error) if well_formed else None
