"""`factory discover site`: pages of a site become an environment, every row traced to its page."""

from __future__ import annotations

import functools
import http.server
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from warehouse.published import Published

TREES, DISTRICTS = 120, ("Ashby", "Bexley", "Corby", "Derby", "Ely")
PER_PAGE = 40


def write_site(folder: Path) -> None:
    """Trees on three pages, linked one to the next, and a data file of districts."""
    rng = random.Random("trees")
    kinds = ("oak", "lime", "beech", "plane")
    rows = [
        f"<tr><td>T{n:03d}</td><td>{rng.choice(kinds)}</td><td>{rng.choice(DISTRICTS)}</td><td>{rng.randint(4, 30)}</td></tr>"
        for n in range(1, TREES + 1)
    ]
    pages = [rows[start : start + PER_PAGE] for start in range(0, TREES, PER_PAGE)]
    for number, page in enumerate(pages, start=1):
        following = f'<a rel="next" href="trees{number + 1}.html">next</a>' if number < len(pages) else ""
        head = "<tr><th>tree_code</th><th>kind</th><th>district</th><th>height</th></tr>"
        table = f"<table><caption>Trees of the town</caption>{head}{''.join(page)}</table>"
        (folder / f"trees{number}.html").write_text(f"<html><title>Trees</title><body>{table}{following}</body></html>")
    links = '<a href="trees1.html">All trees</a> <a href="districts.csv">Districts</a>'
    (folder / "index.html").write_text(f"<html><title>Town trees</title><body><h1>Trees</h1>{links}</body></html>")
    lines = [f"{name},{rng.randint(2000, 90000)},{rng.randint(1, 9)}" for name in DISTRICTS]
    (folder / "districts.csv").write_text("district,inhabitants,parks\n" + "\n".join(lines) + "\n")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Address of a running site."""
    folder = tmp_path / "site"
    folder.mkdir()
    write_site(folder)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_a_site_becomes_an_environment(site: str, factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    home = tmp_path / "home"
    env = {**at_server, "FACTORY_SEARCH__REQUESTS_A_SECOND": "1000"}
    found = factory("discover", "site", site, "--name", "Town trees", "--json", "--home", str(home), env=env)
    assert found.code == 0, found.err
    assert found.json["themes"]["in"] == 1
    built = factory("expand", "--themes", "town_trees", "--tasks", "2", "--json", "--home", str(home), env=env)
    assert built.code == 0, built.err
    assert built.json["environments"] == {"accepted": 1, "rejected": 0}
    assert built.json["tasks"]["accepted"] == 2
    published = Published(home)
    traced = published.sql(
        "select count(*), count(distinct address) from value_sources where address like '%/trees%'"
    ).rows[0]
    assert traced == (TREES, 3), "each tree leads back to one of three pages"
    pages = [row[0] for row in published.sql("select file from sources order by 1").rows]
    assert f"{site}trees2.html" in pages
    again = factory("expand", "--themes", "town_trees", "--tasks", "2", "--json", "--home", str(home), env=env)
    assert again.json["run"]["built"] == 0
