"""serve and play as people run them: the official MCP client and the inspector, trainers' HTTP, a piped prompt."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from typer.testing import CliRunner

from flows.cli import app
from schemas.errors import UsageError
from tasks.arena.person import PERSON
from warehouse.published import Published
from warehouse.rows import load_rollouts, load_tasks

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "import sys; sys.argv[0] = 'factory'; from flows.cli import main; main()"
INSPECTOR = ("node@22", "@modelcontextprotocol/inspector@2")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
ORDER = {"album_id": 200, "quantity": 3}


@pytest.fixture
def home(built: Any) -> Path:
    home: Path = built.home
    return home


@pytest.fixture
def serve(factory: Any, home: Path) -> Iterator[Callable[..., str]]:
    """Start `factory serve …` on a free port and return its address; it must end well on SIGTERM."""
    started = []

    def start(*arguments: str) -> str:
        process = factory.start("serve", *arguments, "--port", "0", "--home", str(home))
        started.append(process)
        line = process.stderr.readline()
        assert " at http://" in line, line + process.stderr.read()
        return str(line.split(" at ")[1].split(",")[0].strip())

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
        try:
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
        assert (process.returncode, out) == (0, ""), err


def over_stdio(factory: Any, home: Path) -> StdioServerParameters:
    arguments = ["-c", PROGRAM, "serve", "music_store", "--mcp", "stdio", "--home", str(home)]
    return StdioServerParameters(command=sys.executable, args=arguments, env=factory.variables({}), cwd=factory.folder)


def copies(home: Path) -> list[Path]:
    """The workspaces that lie in a home; a walk passes over folders that are cleared away meanwhile, rglob fails."""
    return [Path(folder, "world.db") for folder, _, files in os.walk(home / "scratch") if "world.db" in files]


def gone(home: Path) -> bool:
    """Whether the workspaces are cleared away within ten seconds."""
    deadline = time.monotonic() + 10
    while copies(home) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not copies(home)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_over_stdio(mode: str, factory: Any, home: Path) -> None:
    async def talk() -> None:
        async with Client(over_stdio(factory, home), mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["get_album"].annotations and tools["get_album"].annotations.read_only_hint is True
            order = tools["create_purchase_order"]
            assert order.annotations and order.annotations.read_only_hint is False
            assert order.input_schema["required"] and order.output_schema and order.output_schema["properties"]
            made = await client.call_tool("create_purchase_order", ORDER)  # the client checks it against the schema
            assert made.structured_content and made.structured_content["quantity"] == 3
            key = {"order_id": made.structured_content["order_id"]}
            assert (await client.call_tool("get_purchase_order", key)).structured_content == made.structured_content
            refused = await client.call_tool("get_purchase_order", {"order_id": "x"})
            assert refused.is_error and "invalid_argument" in str(refused.content)
            with pytest.raises(MCPError, match="tools/list"):
                await client.call_tool("fly", {})

    anyio.run(talk)


def test_stdio_ends_on_sigterm_with_a_clean_stdout(factory: Any, home: Path) -> None:
    arguments = ("serve", "--mcp", "stdio", "--home", str(home))
    process = factory.start(*arguments, stdin=subprocess.PIPE)
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "agent-world-factory"
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert (process.stdout.read(), process.stderr.read()) == ("", "")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_sessions_over_http_do_not_see_each_other(mode: str, serve: Callable[..., str], home: Path) -> None:
    url = serve("music_store", "--mcp", "http")

    async def talk() -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(Client(url, mode=mode)) for _ in range(8)]
            first = (await clients[0].call_tool("create_purchase_order", ORDER)).structured_content
            assert first
            for other in clients[1:]:
                unseen = await other.call_tool("get_purchase_order", {"order_id": first["order_id"]})
                assert unseen.is_error and "not_found" in str(unseen.content)
            seen = await clients[0].call_tool("get_purchase_order", {"order_id": first["order_id"]})
            assert seen.structured_content == first
            assert len(copies(home)) == len(clients)

    anyio.run(talk)
    assert gone(home), "a world outlived its session"


def test_an_idle_session_over_http_ends_with_its_world(serve: Callable[..., str], home: Path) -> None:
    """A client that opens no stream to listen on and goes away without a word."""
    url = serve("music_store", "--mcp", "http", "--idle", "1")
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def post(number: int | None, method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        return urllib.request.urlopen(urllib.request.Request(url, json.dumps(message).encode(), headers), timeout=30)

    headers["Mcp-Session-Id"] = post(1, "initialize", **HELLO).headers["Mcp-Session-Id"]
    post(None, "notifications/initialized")
    called = json.load(post(2, "tools/call", name="create_purchase_order", arguments=ORDER))
    assert called["result"]["structuredContent"]["quantity"] == 3 and len(copies(home)) == 1
    assert gone(home)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        post(3, "tools/list")


def test_mcp_over_http_with_a_token(serve: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "token").write_text("right\n")
    url = serve("--mcp", "http", "--token-file", str(tmp_path / "token"))

    async def count() -> int:
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers={"Authorization": "Bearer right"}))
            client = await stack.enter_async_context(Client(streamable_http_client(url, http_client=http)))
            return len((await client.list_tools()).tools)

    assert anyio.run(count) > 20
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "right"}):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(urllib.request.Request(url, b"{}", headers), timeout=30)


def test_trainers_over_http(serve: Callable[..., str], home: Path) -> None:
    url = serve("--http")

    def post(path: str, **body: Any) -> Any:
        request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request, timeout=30))

    for task, gold in load_tasks(Published(home)):
        opened = post("/v1/reset", task_id=task.id)
        assert opened["task"]["request"] == task.request
        session = opened["session_id"]
        assert post("/v1/verify", session_id=session, answer={})["outcome"] == "fail"
        for step in gold.steps:
            reply = post("/v1/call", session_id=session, tool=step.tool, arguments=step.arguments)
            assert reply["result"] == step.observation
        assert post("/v1/verify", session_id=session, answer=gold.answer)["reward"] == 1.0


@pytest.fixture
def own_home(home: Path, tmp_path: Path) -> Path:
    """A home to change: what is played to its end is stored."""
    own = tmp_path / "home"
    for part in ("warehouse", "environments"):
        shutil.copytree(home / part, own / part)
    return own


def test_play_by_a_pipe(factory: Any, own_home: Path) -> None:
    task, gold = load_tasks(Published(own_home))[0]
    lines = [f"{step.tool} {json.dumps(step.arguments)}" for step in gold.steps]
    process = factory.start("play", task.id[:-1], "--home", str(own_home), stdin=subprocess.PIPE)
    out, err = process.communicate("\n".join([*lines, f"answer {json.dumps(gold.answer)}"]), timeout=60)
    assert (process.returncode, err) == (0, "")
    assert f"PASS after {len(lines)} calls" in out
    [attempt] = load_rollouts(Published(own_home), PERSON.id, 0)
    assert f"factory show {attempt.id}" in out
    assert (attempt.rollout.policy, attempt.rollout.attempt, attempt.rollout.verdict.outcome) == ("person", 0, "pass")
    assert [step.observation for step in attempt.rollout.steps] == [step.observation for step in gold.steps]
    assert attempt.rollout.state_diff == gold.state_diff
    page = CliRunner().invoke(app, ["show", attempt.id, "--home", str(own_home)]).stdout
    assert "person" in page and "pass" in page


@pytest.mark.parametrize(
    ("lines", "code", "shown"),
    [
        ("nonsense\nanswer {}\n", 1, "answer_keys"),
        ('answer {"price": NaN}\n', 1, "answer_keys"),
        ("tools\nquit\nanswer {}\n", 0, "left without a verdict"),
        ("", 0, "left without a verdict"),
    ],
    ids=["wrong", "no number", "quit", "nothing"],
)
def test_play_ends_by_its_verdict(lines: str, code: int, shown: str, own_home: Path) -> None:
    task, _ = load_tasks(Published(own_home))[0]
    for number in range(code + 1):
        ended = CliRunner().invoke(app, ["play", task.id, "--home", str(own_home)], input=lines)
        assert ended.exit_code == code and shown in ended.stdout
        kept = [each.rollout for each in load_rollouts(Published(own_home), PERSON.id, 0)]
        assert [(each.attempt, each.verdict.outcome) for each in kept] == [
            (n, "fail") for n in range(code * (number + 1))
        ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("serve",), "factory serve --http"),
        (("serve", "--http", "--mcp", "stdio"), "factory serve --http"),
        (("serve", "submarines", "--http"), "factory sql --named environments"),
        (("serve", "--http", "--host", "0.0.0.0"), "--token-file"),
        (("serve", "--mcp", "http", "--host", "0.0.0.0"), "--token-file"),
        (("serve", "--http", "--token-file", "nothing_here"), "--token-file"),
        (("serve", "--http", "--token-file", "/dev/null"), "--token-file"),
        (("serve", "--http", "--host", "192.0.2.1", "--token-file", "/proc/sys/kernel/ostype"), "--port 0"),
        (("play", "task_none"), "factory sql --named tasks"),
        (("play", "env_"), "factory sql --named tasks"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_users_mistake_names_the_next_command(arguments: tuple[str, ...], says: str, home: Path) -> None:
    ended = CliRunner().invoke(app, [*arguments, "--home", str(home)])
    assert isinstance(ended.exception, UsageError) and not ended.stdout
    assert says in str(ended.exception)


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The inspector's command, installed from npm; skipped by name where npm is missing or has no registry."""
    folder = tmp_path_factory.mktemp("inspector")
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *INSPECTOR]
    try:
        installed = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot install {INSPECTOR[1]}: {error}")
    if installed.returncode:
        pytest.skip(f"npm cannot install {INSPECTOR[1]}: {installed.stderr.strip().splitlines()[-1:]}")
    binaries = folder / "node_modules" / ".bin"
    return [str(binaries / "node"), str(binaries / "mcp-inspector"), "--cli"]


@pytest.mark.inspector
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector(
    transport: str, inspector: list[str], serve: Callable[..., str], factory: Any, home: Path
) -> None:
    if transport == "http":
        target = [serve("music_store", "--mcp", "http"), "--transport", "http"]
    else:
        script = factory.folder / "factory.py"
        script.write_text(f"import sys; sys.path.insert(0, {str(ROOT)!r}); {PROGRAM}")
        target = [sys.executable, str(script), "serve", "music_store", "--mcp", "stdio", "--home", str(home)]

    def inspect(*arguments: str) -> Any:
        ended = subprocess.run(
            [*inspector, *target, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**factory.variables({}), "MCP_CATALOG_PATH": os.devnull},
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    tools = {tool["name"]: tool for tool in inspect("--method", "tools/list")["tools"]}
    assert tools["get_album"]["annotations"]["readOnlyHint"] is True and tools["get_album"]["outputSchema"]
    called = inspect("--method", "tools/call", "--tool-name", "get_album", "--tool-arg", "album_id=1")
    assert called["structuredContent"]["album_id"] == 1
