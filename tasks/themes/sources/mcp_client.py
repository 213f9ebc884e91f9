"""The client of a live MCP server: its tools, asked for by the official SDK over stdio or streamable HTTP, in bounds.

A server over stdio runs below mcp_supervisor.py, which bounds what it says and leaves none of its processes behind.
Over HTTP the bytes of all responses are counted. Seconds bound the whole conversation.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from tasks.themes.sources.bounds import MEGABYTE, Bounds, TooLarge

_SUPERVISOR = Path(__file__).with_name("mcp_supervisor.py")
_FLOODED = "too much output"
_LONGEST_SAID = 300
_FAULTS = (MCPError, OSError, ValidationError, httpx2.HTTPError, TooLarge, RuntimeError, ValueError)
"""What a server's misbehaviour comes as, from the SDK and from below it."""


@dataclass(frozen=True)
class Listing:
    """What a live server says of itself, and its tools as plain documents; `notes` tell what was left unread."""

    name: str
    version: str
    instructions: str
    tools: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


class NoListing(Exception):
    """A live server gave no list of tools: the reason of the closed list, and what happened."""

    def __init__(self, reason: Literal["no_answer", "too_large", "unreadable"], detail: str) -> None:
        super().__init__(detail)
        self.reason: Literal["no_answer", "too_large", "unreadable"] = reason


def list_tools(target: str | Sequence[str], bounds: Bounds) -> Listing:
    """Ask a live server for its tools: one at an address, or one that a command (a list of words) starts.

    Raises NoListing for a server that does not start, answer in time, keep to the protocol, or stop talking.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said, _quiet():
        try:
            return anyio.run(_converse, target, bounds, said)
        except ExceptionGroup as group:
            raise _failed(_first(group), bounds, _last_words(said)) from group
        except (TimeoutError, *_FAULTS) as error:
            raise _failed(error, bounds, _last_words(said)) from error


async def _converse(target: str | Sequence[str], bounds: Bounds, said: Any) -> Listing:
    async with AsyncExitStack() as stack:
        if isinstance(target, str):
            http = _bounded_http(bounds)
            await stack.enter_async_context(http)
            transport: Any = streamable_http_client(target, http_client=http, max_sse_event_size=bounds.answer_bytes)
        else:
            arguments = ["-I", str(_SUPERVISOR), str(bounds.answer_bytes), *target]
            transport = stdio_client(StdioServerParameters(command=sys.executable, args=arguments), errlog=said)
        with anyio.fail_after(bounds.seconds):
            async with Client(transport, cache=None) as client:
                return await _pages(client, bounds)


async def _pages(client: Client, bounds: Bounds) -> Listing:
    tools: list[dict[str, Any]] = []
    notes: list[str] = []
    cursor: str | None = None
    seen: set[str] = set()
    for page in range(1, bounds.pages + 1):
        result = await client.list_tools(cursor=cursor)
        tools += [_plain(tool, bounds, notes) for tool in result.tools[: bounds.tools - len(tools)]]
        cursor = result.next_cursor
        if cursor is None:
            break
        if len(tools) >= bounds.tools or page == bounds.pages or cursor in seen:
            notes.append(f"its list of tools goes on behind {len(tools)} tools on {page} pages: not read further")
            break
        seen.add(cursor)
    info = client.server_info
    return Listing(
        name=(info.title or info.name) if info else "",
        version=info.version if info else "",
        instructions=client.instructions or "",
        tools=tools,
        notes=notes,
    )


def _plain(tool: types.Tool, bounds: Bounds, notes: list[str]) -> dict[str, Any]:
    """Return a tool as a document; a schema larger than the bounds is left out and told."""
    document: dict[str, Any] = {"name": tool.name, "description": tool.description or tool.title or ""}
    for key, schema in (("inputSchema", tool.input_schema), ("outputSchema", tool.output_schema)):
        if schema is not None:
            size = len(json.dumps(schema))
            if size > bounds.schema_bytes:
                notes.append(f"{key} of {tool.name} has {size:,} bytes: not read")
            else:
                document[key] = schema
    return document


class _Counted(httpx2.AsyncByteStream):
    """A response's bytes, counted towards what the server may say."""

    def __init__(self, stream: httpx2.AsyncByteStream, transport: _BoundedTransport) -> None:
        self._stream = stream
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._transport.left -= len(chunk)
            if self._transport.left < 0:
                raise TooLarge(_FLOODED)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """A transport that lets `left` more bytes through, none of them packed: those could unpack to any size."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise TooLarge("its responses are packed although that was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self)
        return response


def _bounded_http(bounds: Bounds) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=_BoundedTransport(bounds.answer_bytes), timeout=bounds.seconds)


def _failed(error: BaseException, bounds: Bounds, said: str) -> NoListing:
    """Return what a failure means, with the server's last words."""
    words = f" It said: {said}" if said else ""
    flooded = said.endswith(_FLOODED) or isinstance(error, TooLarge)
    if flooded:
        what = str(error) if isinstance(error, TooLarge) and str(error) != _FLOODED else ""
        return NoListing("too_large", what or f"it said more than {bounds.answer_bytes / MEGABYTE:g} MB")
    if isinstance(error, TimeoutError):
        return NoListing("no_answer", f"no list of tools within {bounds.seconds:g} s.{words}")
    if isinstance(error, ValidationError):
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        return NoListing("unreadable", f"its answer is no list of tools ({where}: {error.errors()[0]['msg']}).{words}")
    return NoListing("no_answer", f"the conversation failed: {str(error) or type(error).__name__}.{words}")


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    """Return the first error of nested groups that says the most: one of size before one of time before others."""
    leaves: list[BaseException] = []
    waiting: list[BaseException] = [group]
    while waiting:
        error = waiting.pop(0)
        if isinstance(error, BaseExceptionGroup):
            waiting += error.exceptions
        else:
            leaves.append(error)
    ranked = (TooLarge, TimeoutError, ValidationError)
    return next((leaf for kind in ranked for leaf in leaves if isinstance(leaf, kind)), leaves[0])


def _last_words(said: Any) -> str:
    """Return the end of what the server wrote to its standard error."""
    said.seek(0)
    return " ".join(said.read()[-4 * _LONGEST_SAID :].split())[-_LONGEST_SAID:]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the SDK from logging a traceback for every line that is no message."""
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
