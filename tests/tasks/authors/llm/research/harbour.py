"""A small site about lighthouses: a list over two pages, keepers in sentences, a data file; and themes over it."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from schemas.settings import SearchSettings
from schemas.themes import Entity, EntityField, Theme
from tasks.mining.browsing.budget import Budget, PageLimits
from tasks.mining.browsing.retrieval import Retriever
from tasks.mining.research.gathering import Gatherer
from tasks.mining.research.inquiry import Inquiry
from tasks.mining.search.site import SiteProvider
from tests.tasks.mining.web_site import Reply, Site, serve

LIMITS = PageLimits(seconds=3.0, page_bytes=600_000, file_bytes=600_000)
LIGHTS = [(f"Light {name}", str(20 + 3 * n), str(1850 + 7 * n)) for n, name in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
KEEPERS = [
    ("Anna Berg", "Light A", "1901"), ("Ole Dahl", "Light B", "1907"), ("Ida Holm", "Light C", "1911"),
    ("Nils Lund", "Light D", "1914"), ("Eva Moe", "Light E", "1920"), ("Per Vik", "Light F", "1926"),
]  # fmt: skip
SEARCH = {"providers": ["site"], "pages": 60, "megabytes": 5, "seconds": 60, "requests_a_second": 10_000}
Routes = Mapping[str, Callable[[int], Reply]]


def paper(title: str, body: str) -> Reply:
    """Return a page without links of its own."""
    return Reply(f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>".encode())


def lights(number: int) -> Reply:
    """Half of the lighthouses."""
    shown = LIGHTS[:13] if number == 1 else LIGHTS[13:]
    rows = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in shown)
    head = "<tr><th>Name</th><th>Height (m)</th><th>Built</th></tr>"
    after = '<a rel="next" href="/lights?page=2">Next</a>' if number == 1 else ""
    return paper("Lighthouses", f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{after}")


def keepers(_: int) -> Reply:
    """Who kept which lighthouse, in sentences."""
    text = " ".join(f"{name} kept {light} from {year} on, in all weathers." for name, light, year in KEEPERS)
    return paper("Keepers of the lights", f"<p>{text}</p>")


def index(_: int) -> Reply:
    """Where everything is."""
    links = "".join(f'<p><a href="{to}">{to[1:]}</a></p>' for to in ("/lights", "/keepers"))
    return paper("Harbour", links + '<p><a href="http://192.0.2.7/other">another host</a></p>')


@contextmanager
def harbour(extra: Routes | None = None) -> Iterator[Site]:
    """Serve the site; `extra` paths come before its own."""
    own: Routes = {"/harbour": index, "/lights": lights, "/keepers": keepers}
    with serve({**own, **(extra or {})}) as site:
        yield site


def theme_of(site: Site, *entities: Entity, start: str = "/harbour", description: str = "Lights of a coast.") -> Theme:
    """Return the theme of the site, read as a whole or for its entities."""
    return Theme(
        name="harbour", title="Lighthouses and their keepers", description=description,
        kind="requirements" if entities else "site", package=site.address, version="-", licence="unknown", tables=[],
        sites=[site.address + start], entities=list(entities),
    )  # fmt: skip


def lighthouse(*fields: str) -> Entity:
    """Return the entity with these fields."""
    made = [EntityField(name=field, type="text", words=field) for field in fields]
    return Entity(name="lighthouses", singular="lighthouse", plural="lighthouses", fields=made)


def settings(**changes: object) -> SearchSettings:
    """Return settings for a search on this machine."""
    return SearchSettings.model_validate({**SEARCH, **changes})


@contextmanager
def inquiry_into(theme: Theme, folder: Path) -> Iterator[Inquiry]:
    """Open an inquiry by hand, for the parts of the agent."""
    folder.mkdir(parents=True, exist_ok=True)
    hosts = {theme.sites[0].partition("//")[2].partition("/")[0]}
    with Retriever(folder, hosts, Budget(pages=60, bytes=5_000_000, seconds=60), 10_000, None, LIMITS) as retriever:
        gatherer = Gatherer(retriever)
        yield Inquiry(theme, folder, gatherer, [SiteProvider(theme.sites, gatherer.look, lambda: True)])
