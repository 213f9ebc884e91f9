"""verifiers' own evaluation over a snapshot, with a stand-in for a served model. Prints one JSON object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))

from agent_world.training.reader import Snapshot  # noqa: E402

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def served(conversations: list[dict], wrong: set[str]) -> ThreadingHTTPServer:
    """Return a chat endpoint that says what the gold runs say."""
    known = {each["messages"][1]["content"]: each for each in conversations}

    def next_of(messages: list[dict]) -> dict:
        conversation = next(known[each["content"]] for each in messages if each.get("content") in known)
        turns = [each for each in conversation["messages"] if each["role"] == "assistant"]
        said = turns[sum(each["role"] == "tool" for each in messages)]
        if conversation["task_id"] in wrong and not said.get("tool_calls"):
            return {**said, "content": "{}"}
        return said

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = next_of(asked["messages"])
            reason = "tool_calls" if said.get("tool_calls") else "stop"
            body = {"id": "1", "created": 0, "model": "gold", "usage": USAGE}
            if asked.get("stream"):
                calls = [{"index": n, **call} for n, call in enumerate(said.get("tool_calls", []))]
                choice = {"index": 0, "delta": {**said, "tool_calls": calls or None}, "finish_reason": reason}
                chunk = {**body, "object": "chat.completion.chunk", "choices": [choice]}
                self._send("text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")
            else:
                choice = {"index": 0, "message": said, "finish_reason": reason}
                self._send("application/json", json.dumps({**body, "object": "chat.completion", "choices": [choice]}))

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def main() -> None:
    conversations = list(Snapshot(FOLDER).rows("sft", "train"))
    wrong = {each["task_id"] for each in conversations[1::2]}
    server = served(conversations, wrong)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        command = [
            str(Path(sys.executable).parent / "vf-eval"), "agent_world_taskset", "-m", "gold", "--no-push", "--no-rich",
            "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--client.base-url", f"http://127.0.0.1:{server.server_port}/v1",
            "--client.api-key-var", "STAND_IN_KEY", "-o", place, "-c", "2",
        ]  # fmt: skip
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        settings = os.environ | {"PYTHONPATH": str(FOLDER), "STAND_IN_KEY": "none", "PATH": path}
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=600)
        lines = [line for traces in Path(place).rglob("traces.jsonl") for line in traces.read_text().splitlines()]
        if not lines:
            sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    rewards = {each["task"]["data"]["task_id"]: each["rewards"]["passed"]["score"] for each in traces}
    wanted = {each["task_id"]: float(each["task_id"] not in wrong) for each in conversations}
    print(json.dumps({"rewards": rewards, "wanted": wanted}))


main()
