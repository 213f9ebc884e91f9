"""A live server's tools: read in bounds by the official client, and no process left, whatever the server does."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest
import uvicorn
from mcp.server.lowlevel import Server

from schemas.themes import Theme
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.mcp import read_live
from tasks.themes.sources.mcp_client import Listing, NoListing, list_tools

SERVERS = Path(__file__).with_name("live_servers.py")
QUICK = Bounds(seconds=1.5, answer_bytes=1_000_000, pages=20)
ROOMY = Bounds(seconds=30)


def marked(mark: str) -> list[int]:
    """The processes that have a mark among their arguments, but for those that have ended."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark.encode() in arguments:
                found.append(int(folder.name))
    return found


def ask(way: str, bounds: Bounds) -> Listing:
    """Ask a server that behaves in one way; see that nothing of it is left."""
    mark = f"mark-{uuid.uuid4()}"
    try:
        return list_tools([sys.executable, str(SERVERS), way, mark], bounds)
    finally:
        assert marked(mark) == [], f"the server that is {way} left processes"


def test_a_server_lists_its_tools_and_is_gone() -> None:
    listing = ask("well", ROOMY)
    assert (listing.name, listing.version, listing.notes) == ("Task keeper", "2.1", [])
    assert [tool["name"] for tool in listing.tools] == ["create_task", "complete_task"]


def test_a_server_that_prints_other_lines_is_read() -> None:
    assert len(ask("noisy", ROOMY).tools) == 2


@pytest.mark.parametrize("way", ["hang", "deaf", "late"])
def test_a_server_that_does_not_answer_in_time_is_refused(way: str) -> None:
    began = time.monotonic()
    with pytest.raises(NoListing, match=r"within 1\.5 s") as raised:
        ask(way, QUICK)
    assert raised.value.reason == "no_answer"
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("way", "words"), [("crash", "TASKS_KEY is not set"), ("crash_midway", "the database is gone")]
)
def test_a_server_that_ends_early_is_refused_with_its_last_words(way: str, words: str) -> None:
    with pytest.raises(NoListing, match=words) as raised:
        ask(way, ROOMY)
    assert raised.value.reason == "no_answer"


@pytest.mark.parametrize("way", ["flood", "flood_without_end_of_line", "flood_errors"])
def test_a_server_that_never_stops_talking_is_refused(way: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(NoListing, match="more than 1 MB") as raised:
        ask(way, Bounds(seconds=30, answer_bytes=1_000_000))
    assert raised.value.reason == "too_large"
    assert caplog.records == [], "its noise is logged"


@pytest.mark.parametrize(("way", "pages"), [("endless", 20), ("circling", 2)])
def test_a_list_without_end_is_read_in_bounds(way: str, pages: int) -> None:
    listing = ask(way, Bounds(seconds=30, pages=20))
    assert len(listing.tools) == pages
    assert "goes on" in listing.notes[0]


def test_an_answer_that_is_no_list_of_tools_is_unreadable() -> None:
    with pytest.raises(NoListing, match="no list of tools") as raised:
        ask("malformed", ROOMY)
    assert raised.value.reason == "unreadable"


def test_five_hundred_tools_with_references_to_themselves_become_one_theme() -> None:
    mark = f"mark-{uuid.uuid4()}"
    finding = read_live([sys.executable, str(SERVERS), "many", mark], ROOMY, "MIT")
    assert marked(mark) == []
    (theme,) = finding.themes
    assert isinstance(theme, Theme)
    assert (theme.kind, theme.licence, len(theme.operations)) == ("mcp", "MIT", 200)
    assert [parameter.name for parameter in theme.operations[0].parameters] == ["name", "parent"]
    assert theme.operations[0].parameters[0].description == "words"


def test_a_schema_that_is_too_large_is_left_out_and_told() -> None:
    listing = ask("huge_schema", ROOMY)
    assert [sorted(tool) for tool in listing.tools] == [["description", "name"], ["description", "inputSchema", "name"]]
    assert "inputSchema of create_task" in listing.notes[0]


def test_a_command_that_does_not_exist_is_refused() -> None:
    with pytest.raises(NoListing, match="cannot be started") as raised:
        list_tools(["/there/is/no/such/server"], ROOMY)
    assert raised.value.reason == "no_answer"


async def _listed(context: object, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "checkin": {"type": "string"}}}
    tool = types.Tool(name="search_hotels", description="Search hotels. " + "x" * 20_000, input_schema=schema)
    return types.ListToolsResult(tools=[tool])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of the SDK over streamable HTTP, in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = Server("Hotels", on_list_tools=_listed).streamable_http_app(streamable_http_path="/mcp")
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    server.should_exit = True
    thread.join(10)


def test_a_server_over_http_becomes_a_theme(address: str) -> None:
    (theme,) = read_live(address, ROOMY, "unknown").themes
    assert (theme.name, theme.package) == ("hotels", address)
    (operation,) = theme.operations
    assert (operation.verb, operation.entity) == ("search", "hotels")


def test_a_server_over_http_is_read_in_bounds(address: str) -> None:
    with pytest.raises(NoListing, match=r"more than 0\.01 MB") as raised:
        list_tools(address, Bounds(seconds=30, answer_bytes=10_000))
    assert raised.value.reason == "too_large"


def test_an_address_where_nobody_listens_is_refused() -> None:
    (refusal,) = read_live("http://127.0.0.1:9/mcp", QUICK, "unknown").refusals
    assert refusal.reason == "no_answer"
