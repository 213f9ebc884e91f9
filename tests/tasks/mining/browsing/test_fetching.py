"""What is fetched is bounded in time and bytes, redirects are looked at, and no fault is an exception."""

from __future__ import annotations

import time

import httpx

from tasks.mining.browsing.fetching import Answer, Fetcher
from tasks.mining.browsing.kinds import kind_of, media_type
from tasks.mining.browsing.manners import USER_AGENT
from tests.tasks.mining.web_site import Site


def ask(site: Site, path: str, seconds: float = 5.0, most: int = 1_000_000) -> Answer:
    with Fetcher() as fetcher:
        return fetcher.fetch(site.address + path, seconds, most)


def test_a_page_comes_whole_under_our_name(site: Site) -> None:
    answer = ask(site, "/countries")
    assert answer.whole and answer.body.endswith(b"</html>") and answer.told.startswith("text/html")
    assert site.asked[-1] == ("/countries", USER_AGENT)


def test_broken_pages_say_how(site: Site) -> None:
    assert ask(site, "/gone").status == 404 and not ask(site, "/gone").whole
    assert ask(site, "/failing").status == 500 and not ask(site, "/failing").whole
    cut = ask(site, "/cut")
    assert cut.status == 200 and not cut.whole and cut.fault is not None and cut.fault.startswith("cut off")
    assert cut.body.startswith(b"<html>")


def test_an_endless_page_ends_at_its_bytes(site: Site) -> None:
    answer = ask(site, "/endless", most=200_000)
    assert answer.fault == "more than 200000 bytes" and len(answer.body) <= 200_000 + 65_536


def test_an_endless_page_ends_at_its_seconds(site: Site) -> None:
    start = time.monotonic()
    answer = ask(site, "/endless", seconds=0.3, most=10**12)
    assert answer.fault == "too slow" and time.monotonic() - start < 3


def test_a_slow_page_is_given_up(site: Site) -> None:
    start = time.monotonic()
    answer = ask(site, "/slow", seconds=0.3)
    assert (answer.status, answer.fault) == (0, "no answer in time") and time.monotonic() - start < 3


def test_redirects_end_and_are_refused(site: Site) -> None:
    assert ask(site, "/loop").fault == "more than 5 redirects"
    with Fetcher() as fetcher:
        answer = fetcher.fetch(site.address + "/elsewhere", 2.0, 1000, lambda target: f"no {target}")
    assert answer.fault == "a redirect is not followed: no http://192.0.2.1/" and not answer.whole


def test_nobody_there() -> None:
    with Fetcher() as fetcher:
        answer = fetcher.fetch("http://127.0.0.1:9/", 1.0, 1000)
    assert answer.status == 0 and answer.fault is not None and answer.fault.startswith("no connection")


def test_robots_by_the_answers_kind() -> None:
    for status, expected in ((200, "rules"), (404, ""), (403, ""), (500, None), (503, None)):
        transport = httpx.MockTransport(lambda _, status=status: httpx.Response(status, text="rules"))
        with Fetcher(transport) as fetcher:
            assert fetcher.robots_text("http://h/robots.txt") == expected


def test_kinds_go_by_the_bytes(site: Site) -> None:
    expected = {
        "/": "page", "/export": "delimited", "/data/error.csv": "page", "/data/cities.xlsx": "sheets",
        "/data/films.json": "document", "/data/runways.csv": "delimited",
    }  # fmt: skip
    assert {path: kind_of(ask(site, path).body) for path in expected} == expected
    assert kind_of(b"\x89PNG\r\n\x1a\n" + b"a,b\n1,2\n" * 9) is None
    assert kind_of(b"\n<!-- made by hand --><div id=root></div>") == "page"
    assert kind_of(b"<rss><channel><title>news</title></channel></rss>") is None
    assert kind_of(b"Just a sentence of text.") is None
    assert kind_of(b"") is None and media_type(None) == "application/octet-stream"
