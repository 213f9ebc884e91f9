"""A real browser: JavaScript, buttons, limits, what is blocked, and a browser that dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from tasks.mining.browsing.budget import PageLimits
from tasks.mining.browsing.chromium import find_chromium
from tasks.mining.browsing.manners import USER_AGENT
from tasks.mining.browsing.rendering import Rendered, Renderer
from tests.tasks.mining.web_site import Reply, Site, films, page, serve

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium on PATH: apt-get install chromium")


def script(text: str, body: str = "") -> Callable[[int], Reply]:
    """Return a page with a script."""
    return lambda _: page("Script", f"{body}<script>{text}</script>")


EXTRA = {
    "/busy": script("setTimeout(() => { while (true) {} }, 50)"),
    "/restless": script("setInterval(() => { document.title = Math.random() }, 40)", "<p>restless</p>"),
    "/popup": script("window.open('/opened'); const a = document.createElement('a'); a.target = '_blank';"
                     "a.href = '/opened'; document.body.append(a); a.click();"),
    "/download": script("const a = document.createElement('a'); a.href = '/data/cities.xlsx'; a.download = 'x';"
                        "document.body.append(a); a.click();"),
    "/pictures": script("fetch('/api/films')", "<img src=/picture.png><video src=/film.mp4></video>"),
    "/away": script("location = 'http://192.0.2.1/'", "<p>here</p>"),
    "/forms": script("", "<form action=/sent method=get><button type=submit>Next</button></form>"),
    "/more": script("let n = 0; document.getElementById('m').onclick = () => {"
                    "document.getElementById('l').insertAdjacentHTML('beforeend', `<li>${n++}</li>`) }",
                    "<ul id=l><li>first</li></ul><button id=m>Load more</button>"),
    "/stream": script("fetch('/endless')", "<p>stream</p>"),
}  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve(EXTRA) as served:
        yield served


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    made = Renderer(limits=PageLimits(browser_seconds=10.0, page_bytes=300_000, states=4))
    yield made
    made.close()


@pytest.fixture
def render(site: Site, renderer: Renderer) -> Callable[..., Rendered]:
    """Return a function that renders a path of the site, asking nobody else."""

    def rendered(path: str, seconds: float | None = None) -> Rendered:
        site.asked.clear()
        return renderer.render(site.address + path, lambda address, _: address.startswith(site.address), seconds)

    return rendered


def test_a_table_that_a_script_fetches_and_its_button_turns(render: Callable[..., Rendered], site: Site) -> None:
    rendered = render("/films/watch")
    assert (rendered.status, rendered.fault, len(rendered.states)) == (200, None, 3)
    shown = "".join(rendered.states)
    assert all(director in shown for _, _, director, _ in films() if "&" not in director)
    assert {agent for _, agent in site.asked} == {USER_AGENT}


def test_a_button_that_always_brings_more_is_pressed_so_often(render: Callable[..., Rendered]) -> None:
    assert len(render("/more").states) == 4


def test_a_restless_page_is_taken_when_its_time_is_over(render: Callable[..., Rendered]) -> None:
    start = time.monotonic()
    rendered = render("/restless", 1.5)
    assert rendered.fault == "it did not come to rest in time" and "restless" in rendered.states[0]
    assert time.monotonic() - start < 8


def test_a_page_that_hangs_costs_the_browser_and_no_more(render: Callable[..., Rendered], renderer: Renderer) -> None:
    before, start = renderer.starts, time.monotonic()
    assert render("/busy", 1.5).fault == "it keeps the browser busy"
    assert time.monotonic() - start < 12
    assert render("/pictures").states and renderer.starts == before + 1


def test_a_killed_browser_is_started_anew(render: Callable[..., Rendered], renderer: Renderer) -> None:
    assert render("/pictures").states
    assert renderer.process is not None
    before = renderer.starts
    os.kill(renderer.process, signal.SIGKILL)
    assert render("/pictures").states and renderer.starts == before + 1


def test_no_second_page_no_download_no_picture_no_form(render: Callable[..., Rendered], site: Site) -> None:
    assert render("/popup").states
    assert "/opened" not in site.paths()
    assert render("/download").states
    assert render("/pictures").states
    assert set(site.paths()) <= {"/pictures", "/api/films"}
    assert len(render("/forms").states) == 1
    assert not any(path.startswith("/sent") for path in site.paths())


def test_a_page_that_leads_elsewhere_stays(render: Callable[..., Rendered], site: Site) -> None:
    rendered = render("/away")
    assert rendered.address.startswith(site.address) and all(path == "/away" for path in site.paths())


def test_an_endless_stream_behind_a_page(render: Callable[..., Rendered]) -> None:
    rendered = render("/stream")
    assert rendered.fault == "more than 300000 bytes" and "stream" in rendered.states[0]


def test_a_page_that_never_loads(render: Callable[..., Rendered]) -> None:
    start = time.monotonic()
    rendered = render("/slow", 1.0)
    assert not rendered.states and rendered.fault == "no answer in time" and time.monotonic() - start < 4
