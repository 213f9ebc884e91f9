"""The site provider crawls what promises a query's words, stays within its hosts, and ranks what it saw."""

from __future__ import annotations

from tasks.mining.browsing.markup import Link
from tasks.mining.search.provider import Seen
from tasks.mining.search.site import SiteProvider

PAGES = {
    "http://h/": (
        "Welcome",
        "start",
        ["http://h/airports/all", "http://h/films/all", "http://g/else", "http://h/gone"],
    ),
    "http://h/airports/all": ("Airports", "runways and terminals of airports", ["http://h/airports/one"]),
    "http://h/airports/one": ("Schiphol", "the airport of Amsterdam", []),
    "http://h/films/all": ("Films", "moving pictures; one was shot at an airport", []),
}


class World:
    """Pages in memory, with the order in which they were looked at."""

    def __init__(self) -> None:
        self.looked: list[str] = []

    def look(self, address: str, query: str) -> Seen:
        self.looked.append(address)
        if address not in PAGES:
            return Seen(address, refusal="404")
        title, text, links = PAGES[address]
        return Seen(address, title, (title,), text, tuple(Link(target, "") for target in links))


def provider(world: World, step: int = 25, most: int = 99) -> SiteProvider:
    return SiteProvider(["http://h"], world.look, lambda: len(world.looked) < most, step=step)


def test_it_stays_within_its_hosts_and_asks_once() -> None:
    world = World()
    site = provider(world)
    site.search("anything", 5)
    site.search("anything else", 5)
    assert sorted(world.looked) == sorted([*PAGES, "http://h/gone"]) and site.waiting == 0


def test_the_best_match_comes_first_titles_before_texts() -> None:
    hits = provider(World()).search("airports", 5)
    assert [hit.address for hit in hits] == ["http://h/airports/all", "http://h/airports/one", "http://h/films/all"]
    assert hits[0].score >= hits[1].score >= hits[2].score and {hit.provider for hit in hits} == {"site"}
    assert "terminals" in hits[0].snippet


def test_a_small_step_goes_where_the_query_points() -> None:
    world = World()
    provider(world, step=2).search("films", 5)
    assert world.looked == ["http://h/", "http://h/films/all"]


def test_it_stops_when_it_may_not_go_on() -> None:
    world = World()
    assert provider(world, most=2).crawl("", 10) == 2


def test_any_text_is_a_query() -> None:
    site = provider(World())
    for query in ("", '"', "AND OR NOT (", "airport*:", "\0"):
        assert isinstance(site.search(query, 3), list)
