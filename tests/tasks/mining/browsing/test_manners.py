"""robots.txt, crawl delays, rates, and hosts that a page of the web must not send us to."""

from __future__ import annotations

import pytest

from tasks.mining.browsing.manners import USER_AGENT, Manners


class Clock:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


def manners(text: str | None, rate: float = 4.0, clock: Clock | None = None) -> Manners:
    clock = clock or Clock()
    return Manners(["h", "g"], rate, lambda _: text, lambda: clock.now, clock.sleep)


def test_robots_rules_for_everybody_and_for_us() -> None:
    polite = manners("User-agent: *\nDisallow: /private/\nAllow: /private/open\n")
    assert polite.refusal("http://h/private/x") == "robots.txt does not allow it"
    assert polite.refusal("http://h/private/open") is None
    assert manners("User-agent: agent-world-factory\nDisallow: /\n").refusal("http://h/") is not None
    assert manners("User-agent: other\nDisallow: /\n").refusal("http://h/") is None


def test_without_robots_all_is_allowed_and_without_an_answer_nothing() -> None:
    assert manners("").refusal("http://h/a") is None
    assert manners(None).refusal("http://h/a") == "robots.txt does not allow it"


def test_robots_is_asked_once_a_host() -> None:
    asked: list[str] = []
    polite = Manners(["h", "g"], 4.0, lambda address: asked.append(address) or "")
    for address in ("http://h/a", "http://h/b", "http://g/a"):
        assert polite.refusal(address) is None
    assert asked == ["http://h/robots.txt", "http://g/robots.txt"]


def test_a_host_is_not_asked_too_often() -> None:
    clock = Clock()
    polite = manners("", 4.0, clock)
    assert all(polite.wait(address, 10) for address in ("http://h/a", "http://h/b", "http://g/c"))
    assert clock.slept == [0.25]


def test_a_crawl_delay_is_kept_and_gives_way_to_the_budget() -> None:
    clock = Clock()
    polite = manners("User-agent: *\nCrawl-delay: 5\n", 4.0, clock)
    assert polite.wait("http://h/a", 10) and polite.wait("http://h/b", 10)
    assert clock.slept == [5.0]
    assert not polite.wait("http://h/c", 3)
    assert clock.slept == [5.0]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "[::1]", "localhost", "no-such-host.invalid"]
)
def test_hosts_of_this_network_must_be_named(host: str) -> None:
    assert manners("").refusal(f"http://{host}/") == "its host is in a private network and was not named"
    assert Manners([host], 1.0, lambda _: "").refusal(f"http://{host}/") is None


def test_the_name_says_who_asks() -> None:
    assert USER_AGENT.startswith("agent-world-factory/") and "http" in USER_AGENT
