"""serve, play: let agents, trainers and people into environments."""

from __future__ import annotations

import resource
import signal
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.cli.options import Home, settings_of
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from tasks.serving.episodes import ServedTask, ServingLimits
    from tasks.serving.play import Play
    from tasks.world.bundle import Bundle
    from tasks.world.session import World

PORT = 8400


Environments = Annotated[
    list[str] | None,
    typer.Argument(help="Ids, beginnings of ids, or themes; default: all current.", metavar="ENV"),
]
Mcp = Annotated[
    Literal["stdio", "http"] | None, typer.Option("--mcp", help="Speak MCP, on stdin and stdout or at /mcp.")
]
Http = Annotated[bool, typer.Option("--http", help="Speak JSON over HTTP: reset, call, state, verify, close.")]
TokenFile = Annotated[
    Path | None, typer.Option("--token-file", help="A file with the token that requests must carry.", metavar="FILE")
]


@dataclass(frozen=True)
class Doorway:
    """Where a server listens, what it asks for, what it allows."""

    host: str
    port: int
    token: str | None
    limits: ServingLimits


def serve(
    environments: Environments = None,
    mcp: Mcp = None,
    http: Http = False,
    host: Annotated[str, typer.Option("--host", help="Listen here; beyond loopback a token is needed.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Listen here; 0 finds a free one.")] = PORT,
    token_file: TokenFile = None,
    sessions: Annotated[int, typer.Option("--sessions", min=1, help="Most sessions at once.")] = 512,
    idle: Annotated[float, typer.Option("--idle", min=0.1, help="Seconds after which an unused session ends.")] = 900,
    request_kb: Annotated[int, typer.Option("--request-kb", min=1, help="Largest body of a request, KiB.")] = 256,
    home: Home = None,
) -> None:
    """Serve environments, each session on its own copy: to agents by MCP, to trainers by HTTP. Ctrl-C ends it."""
    if (mcp is None) != http:
        raise UsageError("choose one: factory serve --mcp stdio, factory serve --mcp http, or factory serve --http")
    from tasks.serving.episodes import ServingLimits

    settings = settings_of(home)
    doorway = Doorway(host, port, _token(token_file, host), ServingLimits(sessions, idle, request_kb))
    bundles = _bundles(settings, environments or [])
    _allow_open_files()
    with _ends_on_signals(), _sandbox(settings) as world:
        if mcp == "stdio":
            from tasks.serving.mcp_server import serve_stdio

            serve_stdio(world, bundles)
        elif mcp == "http":
            _serve_mcp(world, bundles, doorway)
        else:
            _serve_trainers(settings, world, bundles, doorway)


def play(
    task: Annotated[str, typer.Argument(help="A task's id, or the beginning of a current one's.", metavar="TASK")],
    home: Home = None,
) -> None:
    """Do a task by hand: read the request, call tools at a prompt, answer, and see the verdict (1 unless it passes).

    An attempt with a verdict is kept as a rollout of the policy `person`, and counted like any other.
    """
    settings = settings_of(home)
    served, theme = _task(settings, task)
    from tasks.resources import bundle_of
    from tasks.serving.episodes import Episodes
    from tasks.serving.play import Play

    bundle = bundle_of(settings, served.environment_id, theme)
    with _sandbox(settings) as world:
        episodes = Episodes(world, {bundle.environment_id: bundle}, {served.id: served})
        try:
            played = Play(episodes.open(served.id))
            verdict = _converse(played)
        finally:
            episodes.close_all()
    if verdict is not None:
        kept = _keep(settings, played, served)
        print(f"kept as {kept}. Look at it: factory show {kept}")
    if verdict is not None and verdict != "pass":
        raise typer.Exit(1)


def _serve_mcp(world: World, bundles: dict[str, Bundle], doorway: Doorway) -> None:
    from tasks.serving.mcp_server import PATH, serve_http

    try:
        listening = socket.create_server((doorway.host, doorway.port), backlog=512)
    except OSError as error:
        raise _not_listening(doorway, error) from error
    with listening:
        _announce(bundles, "http://{}:{}".format(*listening.getsockname()) + PATH)
        serve_http(world, bundles, listening, doorway.token, doorway.limits)


def _serve_trainers(settings: Settings, world: World, bundles: dict[str, Bundle], doorway: Doorway) -> None:
    from tasks.serving.episodes import Episodes
    from tasks.serving.trainer_http import TrainerServer

    named = {bundle.environment_id: bundle for bundle in bundles.values()}
    tasks = _tasks(settings, sorted(named))
    episodes = Episodes(world, named | bundles, tasks, doorway.limits)
    try:
        server = TrainerServer(episodes, doorway.host, doorway.port, doorway.token)
    except OSError as error:
        episodes.close_all()
        raise _not_listening(doorway, error) from error
    with server:
        _announce(bundles, server.url, f"{len(tasks)} tasks")
        server.serve_forever(poll_interval=0.2)


def _announce(bundles: dict[str, Bundle], url: str, *more: str) -> None:
    """Say on stderr what is served where; stdout may be the wire."""
    print(", ".join((f"serving {', '.join(bundles)} at {url}", *more)), file=sys.stderr, flush=True)


def _bundles(settings: Settings, asked: list[str]) -> dict[str, Bundle]:
    """Return theme's name → bundle of the environments asked for; UsageError for unknown ones and two of a theme."""
    from tasks.resources import bundle_of
    from warehouse.published import Published

    current = {
        row["environment_id"]: row["theme_name"]
        for row in Published(settings.home).rows("environments")
        if row["state"] == "accepted"
    }
    if not current:
        raise UsageError(f"no environment stands in {settings.home}. Run: factory expand")
    found: dict[str, str] = {}
    for key, theme in [_environment(settings, name, current) for name in asked] or list(current.items()):
        if found.setdefault(theme, key) != key:
            raise UsageError(
                f"{found[theme]} and {key} are both of theme {theme}. Name one of them: factory serve {key}"
            )
    return {theme: bundle_of(settings, key, theme) for theme, key in found.items()}


def _environment(settings: Settings, name: str, current: dict[str, str]) -> tuple[str, str]:
    """Return (id, theme's name) of the environment that a user means."""
    matches = [item for item in current.items() if name in item or item[0].startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"{name!r} is the beginning of {' and '.join(key for key, _ in matches)}. Write more of it")
    from warehouse.published import Published
    from warehouse.rows import load_environment

    environment = load_environment(Published(settings.home), name)
    return environment.id, environment.theme_name


def _tasks(settings: Settings, ids: list[str]) -> dict[str, ServedTask]:
    """Return id → task, of these tasks and environments."""
    from tasks.serving.episodes import ServedTask
    from warehouse.published import Published
    from warehouse.rows import load_tasks

    tasks = (ServedTask.read(task.model_dump()) for task, _ in load_tasks(Published(settings.home), ids))
    return {task.id: task for task in tasks}


def _task(settings: Settings, name: str) -> tuple[ServedTask, str]:
    """Return the task that a user means, and its theme's name."""
    from warehouse.published import Published
    from warehouse.rows import load_environment

    published = Published(settings.home)
    matches = [row["id"] for row in published.rows("tasks") if row["id"].startswith(name)]
    if len(matches) > 1 and name not in matches:
        raise UsageError(
            f"{name!r} is the beginning of {len(matches)} tasks. Write more of it: factory play {matches[0]}"
        )
    task_id = matches[0] if len(matches) == 1 else name
    tasks = _tasks(settings, [task_id])
    if task_id not in tasks:
        raise UsageError(f"{name} is an environment, not a task. Run: factory sql --named tasks")
    return tasks[task_id], load_environment(published, tasks[task_id].environment_id).theme_name


def _converse(play: Play) -> str | None:
    """Read lines until the person answers or leaves; return the verdict's outcome, None without one."""
    from tasks.serving.play import Mistyped

    interactive = sys.stdin.isatty()
    if interactive:
        _complete_by_tab(play)
    print(play.opening())
    while not play.ended:
        try:
            line = input("> " if interactive else "")
        except (EOFError, KeyboardInterrupt):
            print("left without a verdict")
            break
        try:
            shown = play.carry_out(line)
        except Mistyped as error:
            shown = f"? {error}"
        if shown:
            print(shown)
    return play.verdict["outcome"] if play.verdict else None


def _keep(settings: Settings, play: Play, task: ServedTask) -> str:
    """Keep a person's attempt, in the spool at once and then in the warehouse, and return its id."""
    from schemas.rollouts import KeptRollout
    from schemas.versions import CODE_VERSION
    from tasks.arena.kept import rollout_id, rollout_spool_of
    from tasks.arena.person import PERSON, attempt_of
    from warehouse.rows import Stamp, save_policy, save_rollouts, save_run, save_run_end
    from warehouse.store import Warehouse

    warehouse, spool = Warehouse(settings.home), rollout_spool_of(settings.home)
    stamp = Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, "person")
    number = len(spool.finished(PERSON.id, [task.id], warehouse.identity))
    rollout = attempt_of(play, task.id, task.environment_id, number)
    kept = KeptRollout(rollout_id(PERSON.id, rollout, stamp.run_id), stamp.run_id, PERSON.id, rollout)
    spool.keep([kept])
    # What the spool holds: an answer like NaN, which JSON has no word for, is none any more.
    plain = [one for one in spool.load(PERSON.id, [task.id]) if one.id == kept.id]
    save_policy(warehouse, PERSON, stamp)
    save_rollouts(warehouse, plain, stamp)
    save_run(warehouse, "play", {"task": task.id}, rollout.started_at, stamp)
    save_run_end(warehouse, "completed", rollout.finished_at, stamp, f"{task.id}: {rollout.verdict.outcome}")
    spool.mark_drained([kept], into=warehouse.identity)
    warehouse.publish()
    return kept.id


def _complete_by_tab(play: Play) -> None:
    try:
        import readline
    except ImportError:  # an interpreter built without it: the prompt works, tab does not
        return

    def complete(word: str, index: int) -> str | None:
        found = play.completions(readline.get_line_buffer()[: readline.get_endidx()], word)
        return found[index] if index < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")


@contextmanager
def _sandbox(settings: Settings) -> Iterator[World]:
    from tasks.resources import sandbox_of

    with sandbox_of(settings) as world:
        yield world


@contextmanager
def _ends_on_signals() -> Iterator[None]:
    """Let SIGTERM and Ctrl-C end the command with its worlds cleared away and exit code 0."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, previous)


def _allow_open_files() -> None:
    """Raise the soft limit of open files to the hard one: a session takes several."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _token(file: Path | None, host: str) -> str | None:
    """Return the token in a file; UsageError without one where others reach the server."""
    from tasks.serving.trainer_http import is_loopback

    if file is None:
        if is_loopback(host):
            return None
        raise UsageError(f"--host {host} is reachable by others, so a token is needed. Add: --token-file FILE")
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--token-file {file} cannot be read: {error}. Write one line into it") from error
    if not token:
        raise UsageError(f"--token-file {file} is empty. Write one line into it: openssl rand -hex 32 > {file}")
    return token


def _not_listening(doorway: Doorway, error: OSError) -> UsageError:
    address = f"{doorway.host}:{doorway.port}"
    return UsageError(f"cannot listen on {address} ({error.strerror or error}). Try: factory serve --port 0")
