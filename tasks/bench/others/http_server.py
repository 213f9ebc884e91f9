"""An HTTP server a rollout on loopback, as AWM does it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tasks.bench.others.workspaces import fresh_copy
from tasks.bench.rollouts import Outcome, state_of
from tasks.bench.subject import rollout_calls
from tasks.world.bundle import DATABASE, Bundle

SCRIPT = Path(__file__).with_name("tool_server.py")
START_S = 60
"""Seconds for a server to answer its first call."""


class HttpServerPerRollout:
    """Rollouts that each start a server, call it over one connection, and end it. For many threads."""

    def __init__(self, bundle: Bundle, scratch: Path) -> None:
        self._bundle, self._scratch = bundle, scratch

    def roll_out(self, number: int) -> Outcome:
        """Do rollout `number`."""
        with fresh_copy(self._bundle, self._scratch) as workspace:
            with self._serving(workspace) as connection:
                observations = [_post(connection, name, arguments) for name, arguments in rollout_calls(number)]
            return Outcome(observations, state_of(self._bundle, workspace / DATABASE))

    @contextmanager
    def _serving(self, workspace: Path) -> Iterator[HTTPConnection]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            # The server inherits the listening socket: the first call waits in its queue, nobody polls.
            descriptor = listener.fileno()
            server = subprocess.Popen(
                [sys.executable, str(SCRIPT), str(self._bundle.tools_source), str(descriptor)],
                cwd=workspace,
                stdin=subprocess.PIPE,
                pass_fds=(descriptor,),
            )
            connection = HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=START_S)
        try:
            yield connection
        finally:
            connection.close()
            server.communicate()  # closes its stdin, at which it ends


def _post(connection: HTTPConnection, name: str, arguments: dict[str, Any]) -> Any:
    body = json.dumps({"name": name, "arguments": arguments})
    connection.request("POST", "/call", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    text = response.read()
    if response.status != 200:
        raise RuntimeError(f"the tool server answered {response.status}: {text[:200]!r}")
    return json.loads(text)
