"""OpenEnv: a snapshot's environments and tasks behind the routes that its clients speak.

    python serve.py --port 8400 [--split train] [--host 0.0.0.0 --token-file FILE]

reset, step and state as OpenEnv has them, many episodes at once by `episode_id`; beside them the routes of
`serving/trainer_http.py`. Checks and expected answers stay in this process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...serving.episodes import Episodes, ServingLimits
from ...serving.trainer_http import TrainerServer
from ...world.session import World
from ..reader import SPLITS, Snapshot


@contextmanager
def server_of(
    snapshot: Snapshot, world: World, split: str, host: str = "127.0.0.1", port: int = 0, token: str | None = None,
    limits: ServingLimits = ServingLimits(),
) -> Iterator[TrainerServer]:  # fmt: skip
    """Give a server of a split's tasks that listens; `serve_forever` runs it. ValueError without a token beyond loopback; OSError."""
    episodes = episodes_of(snapshot, world, split, limits)
    with ExitStack() as stack:
        stack.callback(episodes.close_all)
        yield stack.enter_context(TrainerServer(episodes, host, port, token))


def episodes_of(snapshot: Snapshot, world: World, split: str, limits: ServingLimits) -> Episodes:
    """Return the episodes of a server of a split's tasks."""
    tasks = {task.id: task for task in snapshot.tasks(split)}
    bundles = {task.environment_id: snapshot.bundle(task.environment_id) for task in tasks.values()}
    return Episodes(world, bundles, tasks, limits)


def main(folder: Path, arguments: list[str] | None = None) -> int:
    """Serve the snapshot in `folder` until interrupted; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, default=SPLITS[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8400, help="0: a free one")
    parser.add_argument("--token-file", type=Path, help="a file with the token that clients send")
    parser.add_argument("--sessions", type=int, default=512, help="episodes at once")
    given = parser.parse_args(arguments)
    token = given.token_file.read_text(encoding="utf-8").strip() if given.token_file else None
    limits = ServingLimits(most_sessions=given.sessions)
    try:
        with (
            World() as world,
            server_of(Snapshot(folder), world, given.split, given.host, given.port, token, limits) as server,
        ):
            print(f"serving {len(server.episodes.tasks)} tasks at {server.url}", file=sys.stderr, flush=True)
            server.serve_forever(poll_interval=0.2)
    except (ValueError, OSError) as error:
        print(f"cannot serve: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0
    return 0
