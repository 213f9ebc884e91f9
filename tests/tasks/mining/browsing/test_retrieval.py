"""Pages are kept when they come, found again, and counted; budgets and manners hold, whatever fails."""

from __future__ import annotations

from pathlib import Path

from tasks.mining.browsing.budget import Budget, PageLimits
from tasks.mining.browsing.rendering import Renderer
from tasks.mining.browsing.retrieval import Retriever
from tests.tasks.mining.web_site import LICENCE, Site, serve

LIMITS = PageLimits(seconds=1.0, page_bytes=300_000)
PLENTY = Budget(pages=100, bytes=10_000_000, seconds=60)


def retriever(folder: Path, site: Site, budget: Budget = PLENTY, renderer: Renderer | None = None) -> Retriever:
    return Retriever(folder, [site.host], budget, 10_000, renderer, LIMITS)


def test_a_page_is_kept_with_what_is_known_of_it(tmp_path: Path, site: Site) -> None:
    with retriever(tmp_path, site) as pages:
        visit = pages.visit(f"{site.address}/countries")
    record = visit.record
    assert record is not None and record.whole and record.how == "http" and visit.is_page
    assert (record.status, record.real, record.licence) == (200, "text/html", LICENCE)
    assert record.bytes == len(visit.bodies[0]) and pages.store.body(record.sha256) == visit.bodies[0]


def test_a_lie_about_the_type_is_seen_through(tmp_path: Path, site: Site) -> None:
    with retriever(tmp_path, site) as pages:
        record = pages.visit(f"{site.address}/export").record
        other = pages.visit(f"{site.address}/data/error.csv").record
    assert record is not None and (record.told, record.real) == ("text/html", "text/csv")
    assert other is not None and other.real == "text/html"


def test_robots_and_other_hosts_are_refused_without_asking(tmp_path: Path, site: Site) -> None:
    site.asked.clear()
    with retriever(tmp_path, site) as pages:
        assert pages.visit(f"{site.address}/private/accounts").refusal == "robots.txt does not allow it"
        assert "private network" in str(pages.visit("http://127.0.0.1:9/").refusal)
        fault = pages.visit(f"{site.address}/elsewhere").record
    assert fault is not None and fault.fault == "a redirect is not followed: it leads to another host, 192.0.2.1"
    assert site.paths() == ["/robots.txt", "/elsewhere"]


def test_a_run_that_goes_on_asks_for_nothing_twice(tmp_path: Path, site: Site) -> None:
    with retriever(tmp_path, site) as pages:
        first = pages.visit(f"{site.address}/countries")
    with (tmp_path / "pages.jsonl").open("a") as stream:
        stream.write('{"address": "http://cut')  # killed while it wrote
    site.asked.clear()
    with retriever(tmp_path, site) as pages:
        assert pages.visit(f"{site.address}/countries") == first and site.paths() == []
        assert (pages.meter.pages, pages.meter.bytes) == (1, first.record.bytes if first.record else 0)
        pages.visit(f"{site.address}/cities")
    with retriever(tmp_path, site) as pages:
        assert len(pages.store.records()) == 2


def test_budgets_of_pages_bytes_and_seconds(tmp_path: Path, site: Site) -> None:
    for name, budget in {
        "pages": Budget(pages=1, bytes=10**7, seconds=60),
        "bytes": Budget(pages=9, bytes=1_000, seconds=60),
        "seconds": Budget(pages=9, bytes=10**7, seconds=0.000001),
    }.items():
        with retriever(tmp_path / name, site, budget) as pages:
            pages.visit(f"{site.address}/countries")
            refused = pages.visit(f"{site.address}/cities")
        assert refused.record is None and refused.refusal == f"the budget of {name} is spent"


def test_a_page_beyond_the_bytes_left_is_no_page(tmp_path: Path, site: Site) -> None:
    with retriever(tmp_path, site, Budget(pages=9, bytes=1_000, seconds=60)) as pages:
        record = pages.visit(f"{site.address}/countries").record
    assert record is not None and not record.whole and record.fault == "more than 1000 bytes"


def test_a_host_that_goes_away_is_left_alone(tmp_path: Path) -> None:
    with serve() as site, retriever(tmp_path, site) as pages:
        kept = pages.visit(f"{site.address}/countries")
        site.answers = lambda _: False
        refusals = [pages.visit(f"{site.address}/cities?page={n}") for n in range(6)]
        assert [visit.record is None for visit in refusals] == [False, False, False, True, True, True]
        assert refusals[-1].refusal == "its host does not answer any more"
        assert pages.visit(f"{site.address}/countries") == kept
        site.answers = lambda _: True
        with retriever(tmp_path, site) as again:
            assert again.visit(f"{site.address}/cities?page=0").record is not None
            assert [record.status for record in again.store.records()] == [200, 200]


def test_without_a_browser_the_html_is_read(tmp_path: Path, site: Site) -> None:
    missing = Renderer(tmp_path / "no-browser")
    with retriever(tmp_path, site, renderer=missing) as pages:
        visit = pages.visit(f"{site.address}/films/watch")
        assert pages.browser_fault is not None and "no-browser" in pages.browser_fault
    assert visit.record is not None and visit.record.how == "http" and visit.is_page
