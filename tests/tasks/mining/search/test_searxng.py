"""A SearXNG is asked in its own terms; a local stand-in speaks its JSON and its refusals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from tasks.mining.browsing.manners import USER_AGENT
from tasks.mining.search.provider import SearchUnavailable
from tasks.mining.search.searxng import SearxngProvider

RESULTS = [
    {"url": "http://example.org/a#top", "title": "A", "content": "about a", "score": 3.5, "engine": "x"},
    {"url": "http://example.org/a", "title": "A again", "content": "", "score": 3.0},
    {"url": "mailto:nobody@example.org", "title": "no page"},
    {"url": "https://example.org/b", "title": "B", "content": None, "score": None},
]


class Instance:
    """What the stand-in answers: (status, body, headers) one after the other, the last one for ever."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[tuple[str, dict[str, list[str]], str]] = []
        self.answers: list[tuple[int, str, dict[str, str]]] = []


@contextmanager
def instance(*answers: tuple[int, str, dict[str, str]]) -> Iterator[Instance]:
    found = Instance()
    found.answers = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found.asked.append((parts.path, parse_qs(parts.query), self.headers["User-Agent"]))
            status, body, headers = found.answers.pop(0) if len(found.answers) > 1 else found.answers[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.address = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def answer(results: object) -> tuple[int, str, dict[str, str]]:
    body = {"query": "q", "number_of_results": 0, "results": results, "unresponsive_engines": [["x", "timeout"]]}
    return 200, json.dumps(body), {"Content-Type": "application/json"}


def test_hits_in_the_instances_order_each_page_once() -> None:
    with instance(answer(RESULTS)) as served:
        hits = SearxngProvider(served.address, 0).search("airports of the world", 5)
        path, query, agent = served.asked[0]
    assert [(hit.address, hit.title, hit.snippet, hit.score) for hit in hits] == [
        ("http://example.org/a", "A", "about a", 3.5),
        ("https://example.org/b", "B", "", 0.0),
    ]
    assert (path, query) == ("/search", {"q": ["airports of the world"], "format": ["json"]}) and agent == USER_AGENT


def test_json_that_is_not_enabled_is_told_with_its_fix() -> None:
    with (
        instance((403, "Forbidden", {})) as served,
        pytest.raises(SearchUnavailable, match=r"search\.formats") as error,
    ):
        SearxngProvider(served.address, 0).search("q", 5)
    assert error.value.for_good


def test_the_limiter_is_waited_for_once() -> None:
    slept: list[float] = []
    with instance((429, "", {"Retry-After": "3"}), answer(RESULTS)) as served:
        assert len(SearxngProvider(served.address, 0, slept.append).search("q", 5)) == 2
    assert slept == [3.0]
    with instance((429, "", {"Retry-After": "9999"})) as served, pytest.raises(SearchUnavailable) as error:
        SearxngProvider(served.address, 0, slept.append).search("q", 5)
    assert not error.value.for_good and slept == [3.0, 10.0]


@pytest.mark.parametrize(
    ("reply", "for_good"),
    [
        ((500, "", {}), False),
        ((404, "", {}), True),
        ((200, "<html>", {}), True),
        ((200, "[]", {}), True),
        ((200, "{}", {}), True),
    ],
)
def test_other_answers_are_faults(reply: tuple[int, str, dict[str, str]], for_good: bool) -> None:
    with instance(reply) as served, pytest.raises(SearchUnavailable) as error:
        SearxngProvider(served.address, 0).search("q", 5)
    assert error.value.for_good is for_good and served.address.rstrip("/") in str(error.value)


def test_nobody_there() -> None:
    with pytest.raises(SearchUnavailable, match="does not answer"):
        SearxngProvider("http://127.0.0.1:9", 0).search("q", 5)


def test_requests_keep_their_distance() -> None:
    slept: list[float] = []
    with instance(answer([])) as served:
        provider = SearxngProvider(served.address, 5.0, slept.append)
        provider.search("a", 1)
        provider.search("b", 1)
    assert len(slept) == 1 and 4.0 < slept[0] <= 5.0
