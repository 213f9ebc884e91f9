"""Environments over HTTP for trainers: reset, call, state, verify, close, each a JSON request.

    POST /v1/reset   {"task_id"} or {"environment"}, "seed"?   → {"session_id", "task", "tools", …}
    POST /v1/reset   {"session_id"}                            the same task anew, under the same id
    POST /v1/call    {"session_id", "tool", "arguments"}       → {"result"}
    POST /v1/state   {"session_id"}                            → {"state_id", "diff", "calls", …}
    POST /v1/verify  {"session_id", "answer"}                  → {"outcome", "reward", "results", "detail"}
    POST /v1/close   {"session_id"}                            → {"closed"}
    GET  /v1/tasks, /v1/environments, /health

and OpenEnv's routes (see `openenv.py`): POST /reset, POST /step, GET /state, /schema, /metadata.

An error is {"error": {"code", "message"}} with a status: 400 what is not JSON or lacks a field,
401 no or a wrong token, 404 unknown, 409 not now, 413 too large, 503 full. A call that its tool
refuses is no error of the server: 200, and {"result": {"error": …}}.

Standard library and tasks.world only. Checks and expected answers stay in this process.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from socketserver import TCPServer
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from . import openenv
from .episodes import Declined, Episode, Episodes

LOG = logging.getLogger(__name__)
KIBIBYTE = 1024
MOST_DRAINED = 16 * KIBIBYTE * KIBIBYTE
"""Bytes of an oversize body that are read and thrown away, so that its sender reads the answer."""
SLOWEST_CLIENT_S = 60.0
"""Seconds a connection may stay silent."""
LOCAL_NAMES = {"127.0.0.1", "localhost", "::1"}

Body = dict[str, Any]
Route = Callable[[Episodes, Body], Body]


def reset(episodes: Episodes, body: Body) -> Body:
    """Open a session, or start one anew."""
    session_id, seed = _text(body, "session_id", needed=False), _text(body, "seed", needed=False)
    task_id, environment = _text(body, "task_id", needed=False), _text(body, "environment", needed=False)
    if session_id is not None:
        with episodes.use(session_id) as old:
            if task_id is None and environment is None:
                task_id = old.task.id if old.task else None
                environment = old.environment_id
                seed = seed or old.seed
        episodes.close(session_id)
    return _opened(episodes.open(task_id, environment, seed, session_id))


def call(episodes: Episodes, body: Body) -> Body:
    """Call a tool."""
    tool, arguments = _text(body, "tool"), body.get("arguments", {})
    if not isinstance(arguments, dict):
        raise Declined(400, "invalid_request", "arguments is an object: parameter name → value")
    with episodes.use(_text(body, "session_id")) as episode:
        return {"result": episode.call(tool, arguments), "calls": episode.calls}


def state(episodes: Episodes, body: Body) -> Body:
    """Tell what a session did."""
    with episodes.use(_text(body, "session_id")) as episode:
        return episode.state()


def verify(episodes: Episodes, body: Body) -> Body:
    """Judge a session's state and the answer."""
    if "answer" not in body:
        raise Declined(400, "invalid_request", "answer is missing; it is an object, or null for none")
    with episodes.use(_text(body, "session_id")) as episode:
        return episode.verify(body["answer"])


def close(episodes: Episodes, body: Body) -> Body:
    """Close a session."""
    session_id = _text(body, "session_id")
    if not episodes.close(session_id):
        raise Declined(404, "unknown_session", f"no session {session_id[:64]}")
    return {"closed": True}


def list_tasks(episodes: Episodes, query: Body) -> Body:
    """List the tasks that are served, without what answers them."""
    return {"tasks": [episodes.tasks[key].shown() for key in sorted(episodes.tasks)]}


def list_environments(episodes: Episodes, query: Body) -> Body:
    """List the environments that are served, under all their names."""
    named: dict[str, Body] = {}
    for name, bundle in sorted(episodes.bundles.items()):
        about = named.setdefault(bundle.environment_id, {"names": [], "tools": len(bundle.tools)})
        about["names"].append(name)
    return {"environments": [{"environment_id": key, **about} for key, about in sorted(named.items())]}


def health(episodes: Episodes, query: Body) -> Body:
    """Tell that the server answers."""
    return {"status": "healthy", "sessions": len(episodes), "most_sessions": episodes.limits.most_sessions}


ROUTES: dict[tuple[str, str], Route] = {
    ("POST", "/v1/reset"): reset,
    ("POST", "/v1/call"): call,
    ("POST", "/v1/state"): state,
    ("POST", "/v1/verify"): verify,
    ("POST", "/v1/close"): close,
    ("GET", "/v1/tasks"): list_tasks,
    ("GET", "/v1/environments"): list_environments,
    ("GET", "/health"): health,
    ("POST", "/reset"): openenv.reset,
    ("POST", "/step"): openenv.step,
    ("GET", "/state"): openenv.state,
    ("GET", "/schema"): lambda episodes, query: openenv.SCHEMA,
    ("GET", "/metadata"): lambda episodes, query: openenv.METADATA,
}


class TrainerServer(ThreadingHTTPServer):
    """The server: a thread a connection. `serve_forever` runs it, `server_close` closes all sessions too."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, episodes: Episodes, host: str = "127.0.0.1", port: int = 0, token: str | None = None) -> None:
        """Listen on `port` (0: a free one, see `url`). ValueError for a host beyond loopback without a token."""
        if token is None and not is_loopback(host):
            raise ValueError(f"listening on {host} needs a token")
        self.episodes, self.token = episodes, token
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Bind, without the look-up of the host's full name that HTTPServer makes."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address it listens on."""
        return f"http://{self.server_address[0]}:{self.server_address[1]}"

    def server_close(self) -> None:
        """Stop listening and close every session."""
        super().server_close()
        self.episodes.close_all()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _Handler(BaseHTTPRequestHandler):
    server: TrainerServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "factory", ""
    timeout = SLOWEST_CLIENT_S
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = lambda self: self._answer(self.command)

    def _answer(self, method: str) -> None:
        try:
            raw = self._read()
            self._send(200, self._carry_out(method, raw))
        except Declined as error:
            self._send(error.status, {"error": {"code": error.code, "message": error.message}})
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception:  # the server's boundary: a bug ends one request, not the server
            LOG.exception("event=request_failed path=%s", self.path)
            self._send(500, {"error": {"code": "internal", "message": "a fault of the server; its log tells more"}})

    def _read(self) -> bytes:
        """Read the body, whatever the request is, so that the connection can be used again."""
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise Declined(411, "length_required", "send the body with a Content-Length")
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0:
            self.close_connection = True
            raise Declined(400, "invalid_request", "Content-Length is not a number")
        most = self.server.episodes.limits.request_kb * KIBIBYTE
        if length > most:
            self.close_connection = True
            self._drain(min(length, MOST_DRAINED))
            raise Declined(413, "request_too_large", f"a body of {length} bytes, {most} are allowed")
        return self.rfile.read(length)

    def _drain(self, length: int) -> None:
        while length > 0 and (chunk := self.rfile.read(min(length, 64 * KIBIBYTE))):
            length -= len(chunk)

    def _carry_out(self, method: str, raw: bytes) -> Body:
        address = _split(self.path)
        if (method, address.path) != ("GET", "/health"):
            self._require_right()
        route = ROUTES.get((method, address.path))
        if route is None:
            if allowed := sorted(verb for verb, path in ROUTES if path == address.path):
                raise Declined(405, "wrong_method", f"{address.path} takes {', '.join(allowed)}")
            raise Declined(
                404, "unknown_route", f"no {address.path}; routes: {', '.join(sorted(p for _, p in ROUTES))}"
            )
        return route(self.server.episodes, dict(parse_qsl(address.query)) if method == "GET" else self._parse(raw))

    def _require_right(self) -> None:
        """Demand the token, or without one that the request was made to this machine by its own name.

        A page in a browser could point a name of its own at 127.0.0.1; its Host header tells.
        """
        if self.server.token is not None:
            given = self.headers.get("Authorization", "").encode("utf-8", "replace")
            if not hmac.compare_digest(given, f"Bearer {self.server.token}".encode()):
                raise Declined(401, "unauthorized", "send the header Authorization: Bearer TOKEN")
        elif _split(f"//{self.headers.get('Host', '')}").hostname not in LOCAL_NAMES | {self.server.server_address[0]}:
            raise Declined(403, "wrong_host", "without a token this server answers to loopback names only")

    def _parse(self, raw: bytes) -> Body:
        if self.headers.get_content_type() != "application/json":
            raise Declined(415, "not_json", "send the header Content-Type: application/json")
        try:
            body = json.loads(raw or b"{}")
        except (ValueError, RecursionError) as error:
            raise Declined(400, "not_json", f"the body is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise Declined(400, "invalid_request", "the body is not an object")
        return body

    def _send(self, status: int, body: Body) -> None:
        data = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status == 401:
                self.send_header("WWW-Authenticate", "Bearer")
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
        except OSError:  # the client is gone
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        LOG.debug("event=request client=%s " + format, self.address_string(), *args)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:
        raise Declined(400, "invalid_request", f"not an address: {error}") from error


def _text(body: Body, name: str, needed: bool = True) -> Any:
    """Return a text field of the body; whole numbers are taken as text, since seeds often are."""
    value = body.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not value:
        raise Declined(400, "invalid_request", f"{name} is missing or not text")
    return value


def _opened(episode: Episode) -> Body:
    return {
        "session_id": episode.id,
        "environment_id": episode.environment_id,
        "task": episode.task.shown() if episode.task else None,
        "tools": episode.session.list_tools(),
    }
