"""The smallest world with admitted tasks, and trainer servers over it."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.authors.rules.author import RulesAuthor
from tasks.serving.episodes import Episodes, ServedTask, ServingLimits
from tasks.serving.trainer_http import TrainerServer
from tasks.verification.synthesis import synthesize
from tests.tasks.proving_ground import ProvingGround


@dataclass(frozen=True)
class Served:
    """A ground's tasks with their gold runs; `writing` is one that requires a change."""

    ground: ProvingGround
    pairs: list[tuple[AgentTask, GoldRun]]

    @property
    def writing(self) -> tuple[AgentTask, GoldRun]:
        return next(pair for pair in self.pairs if pair[0].requires_change)

    def tasks(self) -> dict[str, ServedTask]:
        return {task.id: ServedTask.read(task.model_dump()) for task, _ in self.pairs}

    def episodes(self, limits: ServingLimits = ServingLimits()) -> Episodes:
        bundle = self.ground.bundle
        bundles = {bundle.environment_id: bundle, "music_store": bundle}
        return Episodes(self.ground.world, bundles, self.tasks(), limits)


@dataclass
class Client:
    """One connection; remembers the text of every reply."""

    server: TrainerServer
    headers: dict[str, str] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(*self.server.server_address[:2], timeout=30)

    def send(self, method: str, path: str, raw: bytes, **headers: str) -> tuple[int, Any]:
        self.connection.request(method, path, raw, {"Content-Type": "application/json", **self.headers, **headers})
        reply = self.connection.getresponse()
        text = reply.read().decode()
        self.heard.append(text)
        return reply.status, json.loads(text)

    def post(self, path: str, **body: Any) -> Any:
        """Post what must succeed."""
        status, reply = self.send("POST", path, json.dumps(body).encode())
        assert status == 200, reply
        return reply

    def get(self, path: str) -> Any:
        status, reply = self.send("GET", path, b"")
        assert status == 200, reply
        return reply

    def code(self, path: str, **body: Any) -> tuple[int, str]:
        """Post what must fail: (status, code)."""
        status, reply = self.send("POST", path, json.dumps(body).encode())
        assert reply["error"].keys() == {"code", "message"} and reply["error"]["message"]
        return status, reply["error"]["code"]


@pytest.fixture(scope="session")
def served(records: ProvingGround) -> Served:
    report = synthesize(
        RulesAuthor(), records.world, records.bundle, records.setting, DraftingSettings(), wanted=4, seed=0
    )
    return Served(records, list(zip(report.tasks, report.gold_runs, strict=True)))


@pytest.fixture
def start(served: Served) -> Iterator[Callable[..., TrainerServer]]:
    """Start servers, each in a thread, and stop them afterwards."""
    started: list[tuple[TrainerServer, threading.Thread]] = []

    def run(limits: ServingLimits = ServingLimits(), **options: Any) -> TrainerServer:
        server = TrainerServer(served.episodes(limits), **options)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        started.append((server, thread))
        return server

    yield run
    for server, thread in started:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def client(start: Callable[..., TrainerServer]) -> Client:
    return Client(start())
