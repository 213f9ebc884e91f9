"""A stand-in for an endpoint: a real HTTP server that speaks chat completions, says what a script says, and breaks as told.

In a test's process:    with StandIn(script) as server: ... server.url ...
As one of its own:      python -m tests.tasks.authors.llm.stand_in --script package.module:function [--port N] [--mode text]
"""

from __future__ import annotations

import argparse
import importlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from schemas.identity import content_id
from schemas.models import Mode

Body = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One HTTP response, whole or broken."""

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    stated_length: int | None = None
    """Content-Length, where it is not the true one: the connection closes before."""
    echoes: bool = False
    """Whether the request's Authorization header stands in the content, at ***."""
    hangs: bool = False
    """Nothing is sent until the server ends."""

    @property
    def is_whole(self) -> bool:
        """Whether it is an answer that arrives: one that is charged for."""
        try:
            json.loads(self.content)
        except ValueError:
            return False
        return self.status == 200 and self.stated_length is None


Script = Callable[[Body], Said]


def message(content: str | None, finish_reason: str = "stop", usage: bool = True, **more: Any) -> Said:
    """Say a message: `tool_calls`, `refusal` and the like go into it."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": content, **more}}
    counted = {"usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}} if usage else {}
    return Said(json.dumps({"id": "c", "object": "chat.completion", "choices": [choice], **counted}).encode())


def answer(value: Any) -> Said:
    """Say an object, as the answer of a request that asks for one."""
    return message(json.dumps(value))


def act(body: Body, tool: str, arguments: Any, thought: str = "") -> Said:
    """Make a call in the form that the request asks for; the tool "finish" ends."""
    if "tools" in body:
        return message(thought, "tool_calls", tool_calls=[native_call(tool, arguments)])
    return answer({"thought": thought, "tool": tool, "arguments": arguments})


def native_call(tool: str, arguments: Any, call_id: str = "call_0") -> dict[str, Any]:
    """Return one of a message's tool_calls. Arguments that are a text stay as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": text}}


def fail(
    status: int, message: str = "no", echoes: bool = False, code: str = "", param: str = "", **headers: str
) -> Said:
    """Answer with an error; header names are given with underscores."""
    text = f"{message} ***" if echoes else message
    error = {"error": {"message": text, "code": code or None, "param": param or None, "type": "error"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(json.dumps(error).encode(), status, named, echoes=echoes)


def hang() -> Said:
    """Take the request and say nothing."""
    return Said(b"", hangs=True)


def half_closed() -> Said:
    """Close the connection in the middle of the body."""
    whole = answer({"value": "lost"})
    return replace(whole, content=whole.content[:40], stated_length=len(whole.content))


def cut_json() -> Said:
    """Send a body that is cut off and says that it is whole."""
    return Said(answer({"value": "lost"}).content[:40])


def endless(megabytes: float = 3.0) -> Said:
    """Say far too much."""
    return message("x" * int(megabytes * 1_000_000))


def slowly(said: Said, seconds: float) -> Said:
    """Say something after a while."""
    return replace(said, wait_s=seconds)


def sequence(*said: Said) -> Script:
    """Return a script that says one after the other, whatever is asked; the last again and again."""
    waiting, lock = list(said), threading.Lock()

    def script(body: Body) -> Said:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return script


class StandIn:
    """The server. `requests` are the bodies it was sent, without those of a probe, which it answers by itself."""

    def __init__(self, script: Script, mode: Mode = "native", port: int = 0, model: str = "stand-in") -> None:
        """`mode` is what a probe finds."""
        self.requests: list[Body] = []
        self.probes = 0
        self.served: Counter[str] = Counter()
        """How often each request was answered in full, by its content: what a provider would have charged for."""
        self._script, self._mode, self._model = script, mode, model
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def count(self, text: str = "") -> int:
        """Return how many requests hold a text in their messages."""
        with self._lock:
            return sum(text in json.dumps(body["messages"], ensure_ascii=False) for body in self.requests)

    def serve(self, method: str, path: str, sent: bytes) -> Said:
        """Return what a request is answered with."""
        if method == "GET" and path == "/v1/models":
            listed = [{"id": self._model, "object": "model", "max_model_len": 8192}]
            return Said(json.dumps({"object": "list", "data": listed}).encode())
        if path != "/v1/chat/completions":
            return fail(404)
        body = json.loads(sent)
        if (probed := self._probed(body)) is not None:
            self.probes += 1
            return probed
        with self._lock:
            self.requests.append(body)
        said = self._script(body)
        if said.is_whole:
            with self._lock:
                self.served[content_id("request", body)] += 1
        return said

    def _probed(self, body: Body) -> Said | None:
        tools = [tool["function"]["name"] for tool in body.get("tools", [])]
        form = body.get("response_format", {}).get("json_schema", {})
        if tools == ["get_weather"]:
            able = self._mode == "native"
            return act(body, "get_weather", {"city": "Oslo"}) if able else message("I would call get_weather.")
        if form.get("name") == "zebra":
            fitting = {name: part["enum"][0] for name, part in form["schema"]["properties"].items()}
            return answer(fitting) if self._mode != "text" else message("A zebra has stripes.")
        return None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def _answer(self, sent: bytes) -> None:
                said = stand_in.serve(self.command, self.path, sent)
                if said.hangs:
                    stand_in._ended.wait(60)
                    self.close_connection = True
                    return
                time.sleep(said.wait_s)
                content = said.content
                if said.echoes:
                    content = content.replace(b"***", self.headers.get("Authorization", "").encode())
                try:
                    self._send(said, content)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client has had enough

            def _send(self, said: Said, content: bytes) -> None:
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(said.stated_length or len(content)))
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = self.close_connection or said.stated_length is not None

            def log_message(self, format: str, *arguments: Any) -> None:
                """Say nothing."""

        return Handler


def main() -> None:
    """Serve a script until the process ends; the first line printed is the address."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True, help="package.module:function")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode", choices=["native", "json_schema", "text"], default="native")
    options = parser.parse_args()
    module, _, name = options.script.partition(":")
    with StandIn(getattr(importlib.import_module(module), name), options.mode, options.port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
