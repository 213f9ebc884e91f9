"""The key reaches the endpoint and nothing else: no byte of a home holds it, also when the endpoint says it back."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from schemas.models import Contribution
from schemas.settings import LlmSettings
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool, spool_of
from tasks.authors.llm.model import Message, ModelUnavailable
from tests.tasks.authors.llm.stand_in import Body, Said, StandIn, answer, fail, message
from warehouse.models import save_model_calls
from warehouse.stamp import Stamp
from warehouse.store import Published, Warehouse

KEY = "sk-abcdefgh01234567-a-key-of-a-test"
MARK = "what-everybody-may-read"
"""Stands in every prompt: a search that does not find it would find no key either."""


class Colour(BaseModel):
    """An answer."""

    colour: str


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """A log in the home of everything that any library says."""
    path = tmp_path / "everything.log"
    handler, root = logging.FileHandler(path), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield path
    root.setLevel(level)
    root.removeHandler(handler)
    handler.close()


def script(body: Body) -> Said:
    """Say the key back in a message, in an error that passes and in one that does not."""
    asked = str(body["messages"])
    if "refused" in asked:
        return fail(401, "Incorrect API key provided:", echoes=True)
    if "busy" in asked:
        return fail(503, "Overloaded for", echoes=True)
    if "chatty" in asked:
        said = message("I was called with ***")
        return Said(said.content, echoes=True)
    return answer({"colour": "red"})


def use(client: ModelClient) -> None:
    """Ask for what works, for what is not an answer, and for what fails."""
    model = client.role("coder", "theme_1")
    assert model.ask([Message("user", f"{MARK}: a colour")], Colour).colour == "red"
    for asked, fault in (("chatty", Exception), ("busy", ModelUnavailable), ("refused", ModelUnavailable)):
        with pytest.raises(fault) as raised:
            model.ask([Message("user", f"{MARK}: {asked}")], Colour)
        logging.getLogger("factory").error("event=asked subject=%s", MARK, exc_info=raised.value)
        assert KEY not in str(raised.value)
    model.report(Contribution(role="coder", subject="theme_1", kind="tool", name=MARK, outcome="kept"))


def store(home: Path, spool: Spool) -> None:
    """Drain the spool's calls into the warehouse and publish it; the spool keeps its replies."""
    stored = spool.undrained()
    save_model_calls(Warehouse(home), stored.calls, stored.contributions, Stamp("run_1", "1", 0, "llm"))
    Warehouse(home).publish()


def holders(home: Path, text: str) -> set[str]:
    """Return the files that hold a text, and the tables: the warehouse's columns are compressed."""
    files = {path.name for path in home.rglob("*") if path.is_file() and text.encode() in path.read_bytes()}
    found = "select count(*) from (select to_json(rows)::varchar as line from {} as rows) where contains(line, $text)"
    tables = ("model_calls", "contributions")
    return files | {name for name in tables if Published(home).sql(found.format(name), {"text": text}).rows != [(0,)]}


def test_no_byte_of_a_home_holds_the_key(tmp_path: Path, log: Path) -> None:
    with StandIn(script) as server:
        settings = LlmSettings(base_url=server.url, api_key=SecretStr(KEY), model="stand-in", retries=0)
        spool = spool_of(tmp_path)
        use(ModelClient(settings, spool, "run_1"))
        assert server.requests, "the key was needed"
        assert KEY not in repr(settings) and KEY not in settings.model_dump_json()
    store(tmp_path, spool)
    assert holders(tmp_path, MARK) >= {log.name, "model_calls", "contributions"}
    assert holders(tmp_path, KEY) == set()
    spool.close()
