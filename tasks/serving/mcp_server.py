"""An MCP server over environments, by the official SDK: one private world a session and environment.

Through stdio the process is the session. Over HTTP it is an MCP session (`Mcp-Session-Id`): the
protocol's revision of 2026-07-28 has none there, so its requests are answered with the versions
that have (2025-11-25 and older), which clients then fall back to.

With several environments every tool is called `<theme>__<tool>`.
"""

from __future__ import annotations

import hmac
import json
import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tasks.sandbox.errors import WorkerFault
from tasks.serving.episodes import ServingLimits
from tasks.world.bundle import Bundle
from tasks.world.errors import ToolsNotLoaded
from tasks.world.session import Session, World

LOG = logging.getLogger(__name__)
SEPARATOR = "__"
PATH = "/mcp"
SEED = "mcp"
"""Every session's seed: two sessions answer equal calls with equal bytes."""
KIBIBYTE = 1024
THREADS = 64
"""Calls that run at once; more wait."""
STATE_KEY = "agent-world-factory.worlds"


@dataclass(frozen=True)
class Offer:
    """One tool as a client sees it, and where it is."""

    bundle: Bundle
    tool: str
    listed: types.Tool


def offers_of(bundles: Mapping[str, Bundle]) -> dict[str, Offer]:
    """Return the tools of the environments (name → bundle) by the name a client calls them."""
    several = len(bundles) > 1
    offers = {}
    for environment, bundle in bundles.items():
        for name, tool in bundle.tools.items():
            called = f"{environment}{SEPARATOR}{name}" if several else name
            offers[called] = Offer(bundle, name, _listed(called, tool))
    return offers


def _listed(called: str, tool: dict[str, Any]) -> types.Tool:
    read_only = bool(tool["read_only"])
    return types.Tool(
        name=called,
        description=tool["description"],
        input_schema=tool["input_schema"],
        output_schema=tool["output_schema"],
        annotations=types.ToolAnnotations(read_only_hint=read_only, open_world_hint=False),
    )


class Worlds(AbstractContextManager["Worlds"]):
    """One client's worlds: a session in each environment, opened by the first call there."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._closed = False

    def call(self, offer: Offer, arguments: dict[str, Any]) -> Any:
        """Call a tool; calls of one client run one after the other."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the session is closed")
            key = offer.bundle.environment_id
            if key not in self._sessions:
                self._sessions[key] = self._world.open(offer.bundle, SEED)
            return self._sessions[key].call(offer.tool, arguments)

    def close(self) -> None:
        """Close every session. May be called twice."""
        with self._lock:
            self._closed = True
            with ExitStack() as stack:
                for session in self._sessions.values():
                    stack.callback(session.close)
            self._sessions.clear()

    def __exit__(self, *_: object) -> None:
        self.close()


Context = Any
"""The SDK's ServerRequestContext."""


def build_server(bundles: Mapping[str, Bundle], worlds_of: Callable[[Context], Worlds]) -> Server[Any]:
    """Return a server over the environments; `worlds_of` finds the worlds of the client that asks."""
    offers = offers_of(bundles)
    limiter = anyio.CapacityLimiter(THREADS)

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[offer.listed for offer in offers.values()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        offer = offers.get(params.name)
        if offer is None:
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name}; ask tools/list")
        worlds = worlds_of(context)
        try:
            value = await anyio.to_thread.run_sync(worlds.call, offer, params.arguments or {}, limiter=limiter)
        except (ToolsNotLoaded, WorkerFault, OSError) as error:
            LOG.warning("event=world_not_opened environment=%s error=%s", offer.bundle.environment_id, error)
            raise MCPError(types.INTERNAL_ERROR, f"the world could not be opened: {error}") from error
        return result_of(value)

    return Server(
        "agent-world-factory",
        version="1",
        instructions=f"Private copies of: {', '.join(bundles)}. Nothing you change is seen by anyone else.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def result_of(value: Any) -> types.CallToolResult:
    """Wrap a tool's result; a refusal is text alone, since the output schema does not describe it."""
    text = types.TextContent(type="text", text=json.dumps(value, ensure_ascii=False))
    if isinstance(value, dict) and "error" not in value:
        return types.CallToolResult(content=[text], structured_content=value)
    return types.CallToolResult(content=[text], is_error=True)


def serve_stdio(world: World, bundles: Mapping[str, Bundle]) -> None:
    """Serve one client on stdin and stdout until stdin ends. The SDK sends stray output to stderr."""
    with Worlds(world) as worlds:
        server = build_server(bundles, lambda context: worlds)

        async def run() -> None:
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())

        # Reading stdin can't be cancelled. In a daemon thread it cannot hold up a signal's end either.
        thread = threading.Thread(target=anyio.run, args=(run,), name="mcp stdio", daemon=True)
        thread.start()
        thread.join()


def serve_http(
    world: World, bundles: Mapping[str, Bundle], listening: socket.socket, token: str | None, limits: ServingLimits
) -> None:
    """Serve streamable HTTP at /mcp on a bound socket until a signal ends it."""

    def worlds_of(context: Context) -> Worlds:
        # The SDK has no public door to the connection, whose end must close the worlds; hence its pin.
        connection = context.session._connection
        if STATE_KEY not in connection.state:
            worlds = connection.state[STATE_KEY] = Worlds(world)
            connection.exit_stack.push_async_callback(anyio.to_thread.run_sync, worlds.close)
        found: Worlds = connection.state[STATE_KEY]
        return found

    server = build_server(bundles, worlds_of)
    host = listening.getsockname()[0]
    # asyncio does it only for sockets that name their protocol; without it every answer waits 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        host=host,
        max_request_body_size=limits.request_kb * KIBIBYTE,
        session_idle_timeout=limits.idle_s,
        max_sessions=limits.most_sessions,
    )
    config = uvicorn.Config(
        _Guard(app, token), log_level="warning", lifespan="on", ws="none", timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listening])


class _Guard:
    """What is checked before the SDK sees a request: the token, and that its protocol has sessions."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refuse(dict(scope["headers"])) if scope["type"] == "http" else None
        answer: Callable[[Scope, Receive, Send], Awaitable[None]] = refused or self._app
        await answer(scope, receive, send)

    def _refuse(self, headers: dict[bytes, bytes]) -> JSONResponse | None:
        if self._token is not None:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
                return _error(401, types.INVALID_REQUEST, "send the header Authorization: Bearer TOKEN")
        version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
        if version and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version}
            return _error(400, types.UNSUPPORTED_PROTOCOL_VERSION, "a world needs a session: initialize one", data)
        return None


def _error(status: int, code: int, message: str, data: Any = None) -> JSONResponse:
    error = {"code": code, "message": message} | ({"data": data} if data is not None else {})
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)
