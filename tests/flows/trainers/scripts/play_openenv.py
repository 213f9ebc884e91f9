"""OpenEnv's own app and client over a snapshot: gold runs, every second with a wrong answer. Prints one JSON object."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from pathlib import Path

FOLDER = Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))

import uvicorn  # noqa: E402
from agent_world.training.adapters.openenv_app import app_of  # noqa: E402
from agent_world.training.reader import Snapshot  # noqa: E402
from openenv.core import GenericEnvClient  # noqa: E402


def main() -> None:
    snapshot = Snapshot(FOLDER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app_of(snapshot), port=port, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    rewards, wanted = {}, {}
    with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
        for number, gold in enumerate(snapshot.golds("train")):
            shown = client.reset(task_id=gold["task_id"])
            assert shown.observation["tools"] and shown.observation["request"]
            for step in gold["steps"]:
                seen = client.step({"tool_name": step["tool"], "arguments": step["arguments"]})
                assert seen.observation["result"] == step["observation"]
            answer = {} if number % 2 else gold["answer"]
            ended = client.step({"tool_name": "submit_answer", "arguments": answer})
            rewards[gold["task_id"]], wanted[gold["task_id"]] = ended.reward, float(number % 2 == 0)
            assert ended.done
    print(json.dumps({"rewards": rewards, "wanted": wanted}))


main()
