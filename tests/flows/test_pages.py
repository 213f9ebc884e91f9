"""What people look at, in a real browser: a run's page and its artifacts, and diagrams with the worst of names.

The server's own mermaid draws them; a name that its grammar trips over shows as "Syntax error".
"""

from __future__ import annotations

import json
import random
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.profiles import ColumnProfile, ForeignKey, TableProfile
from schemas.settings import Settings
from tasks.mining.browsing.chromium import ARGUMENTS, find_chromium
from tasks.pages.lineage import lineage_page
from tasks.pages.mermaid import er_diagram

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium on PATH: apt-get install chromium")
PATIENCE_MS = 60_000
"""The UI is 11 MB of scripts, on a machine that may be busy with other tests."""
NASTY = (
    "PK",
    "u",
    "end",
    "graph",
    "click",
    "erDiagram",
    "a b",
    'say "no"',
    "a|b",
    "a\\b",
    "`x`",
    "%% note",
    "{a}",
    "[a]",
    "(a)",
    "<b>x</b>",
    "<script>alert(1)</script>",
    "#quot;",
    "#35;",
    ";",
    ":::x",
    "--> y",
    "naïve",
    "漢字",
    "العربية",
    "日本\u200b語",
    "😀👩‍👩‍👧",
    "e\u0301",
    "3pt",
    "$&@!?^~'",
    "line\nbreak\ttab",
    "x" * 300,
    " ",
    "\u00ad",
    "\u2800",
    "\u3164",
    "\u200d",
    "\u0301",
    "…",
)
DRAW = """async ([script, diagrams]) => {
    const found = Object.values(await import(script)).find(part => part?.default?.parse).default;
    const ends = [];
    for (const [number, diagram] of diagrams.entries()) {
        try {
            const drawn = new DOMParser().parseFromString((await found.render('d' + number, diagram)).svg, 'text/html');
            ends.push([null, drawn.body.textContent.replace(/\\s+/g, ' ')]);
        } catch (error) { ends.push([String(error), '']); }
    }
    return ends;
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A tab of a headless browser, in light mode."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=[*ARGUMENTS, "--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme="light")
        tab.set_default_timeout(PATIENCE_MS)
        yield tab
        browser.close()


@pytest.fixture
def artifacts(built: Any, server: Settings) -> dict[str, str]:
    """Keys of the artifacts that the run left → their ids."""
    run_id = built.ended.json["run"]["run_id"]
    asked = {"artifacts": {"flow_run_id": {"any_": [run_id]}}, "limit": 100}
    request = urllib.request.Request(
        f"{server.api_url}/artifacts/filter", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as response:
        return {found["key"]: found["id"] for found in json.load(response) if found["type"] == "markdown"}


def base(server: Settings) -> str:
    return f"http://127.0.0.1:{server.server_port}/v2"


def test_a_run_and_its_pages(page: Any, built: Any, server: Settings, artifacts: dict[str, str]) -> None:
    assert set(artifacts) == {"funnel", "lineage", "tasks", "environment-music-store", "quality-music-store"}
    page.goto(f"{base(server)}/runs/flow-run/{built.ended.json['run']['run_id']}")
    page.get_by_text("expand music_store, 2 tasks each").first.wait_for()
    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("environment-music-store").first.wait_for()

    open_artifact(page, server, artifacts["environment-music-store"], "A music store")
    page.locator("svg[aria-roledescription=er]").wait_for()
    drawn = page.locator("svg[aria-roledescription=er]").text_content()
    assert all(table in drawn for table in ("artists", "albums", "tracks", "invoice_lines"))
    assert "Syntax error" not in page.content()
    page.locator("table").filter(has_text="search_tracks").wait_for()
    assert not overflowing(page)

    open_artifact(page, server, artifacts["lineage"], "Lineage")
    page.locator("svg[aria-roledescription^=flowchart]").wait_for()
    assert "music_store" in page.locator("svg[aria-roledescription^=flowchart]").text_content()

    open_artifact(page, server, artifacts["funnel"], "Funnel")
    lines = page.locator("table").first.locator("tr")
    lines.nth(1).wait_for()  # the heading is there before its table
    rows = lines.all_inner_texts()
    assert [row.split()[:2] for row in rows[1:]] == [
        ["mine", "theme"],
        ["build_tools", "environment"],
        ["build_tools", "tool"],
        ["complexify", "round"],
        ["synthesize", "task"],
    ]

    open_artifact(page, server, artifacts["tasks"], "Tasks")
    page.locator("blockquote").nth(1).wait_for()
    assert not overflowing(page)

    open_artifact(page, server, artifacts["quality-music-store"], "Quality of music_store")


def open_artifact(page: Any, server: Settings, identity: str, heading: str) -> None:
    page.goto(f"{base(server)}/artifacts/artifact/{identity}")
    page.get_by_role("heading", name=heading, exact=True).wait_for()


def overflowing(page: Any) -> list[str]:
    """Return the beginnings of tables and diagrams that are wider than the page's column."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll('table, svg[aria-roledescription]')].filter(
                part => part.getBoundingClientRect().right > document.documentElement.clientWidth
            ).map(part => part.textContent.slice(0, 60))"""
        )
    )


def scripts_of(server: Settings) -> list[str]:
    """Return the paths of mermaid's bundle in the installed UI."""
    from prefect.server import __file__ as prefect_server

    folder = Path(prefect_server).parent / "ui-v2" / "assets"
    return [f"/v2/assets/{path.name}" for path in sorted(folder.glob("vendor-mermaid-*.js"))]


def make_tables(names: list[str]) -> list[TableProfile]:
    """Return two tables of these names, the second with a column of each name, referring to the first."""
    shared: dict[str, Any] = {"singular": "x", "plural": "x", "rows": 3, "key_is_opaque": False}
    columns = [
        ColumnProfile(name=name, type="text", role="text", nullable=True, distinct=3, words=name) for name in names
    ]
    key = ColumnProfile(name="id", type="integer", role="key", nullable=False, distinct=3, words="id")
    foreign = [ForeignKey(column=names[0], to_table=names[0], to_column="id", coverage=1.0)]
    return [
        TableProfile(name=names[0], kind="operational", key="id", columns=[key], **shared),
        TableProfile(
            name=f"{names[0]} 2", kind="event", key="id", columns=[key, *columns], foreign_keys=foreign, **shared
        ),
    ]


def make_theme(name: str) -> dict[str, Any]:
    return {
        "theme_name": name, "environment_id": name, "state": "accepted", "package": name, "package_version": name,
        "kind": "dataset", "versions": [], "files": 1, "source_bytes": 1, "world_tables": 1, "world_rows": 1, "tools": 1, "tasks": 1, "reason": None,
    }  # fmt: skip


def random_names(count: int) -> list[str]:
    """Return short texts of signs of any script, seeded."""
    choice = random.Random("names")
    planes = ((0x20, 0x7F), (0xA0, 0x5FF), (0x2000, 0x2FFF), (0x3000, 0x9FFF), (0x1F300, 0x1FAFF))
    return [
        "".join(chr(choice.randint(*choice.choice(planes))) for _ in range(choice.randint(1, 12))) for _ in range(count)
    ]


def test_no_name_breaks_a_diagram(page: Any, server: Settings) -> None:
    """Draw each nasty name as a table, a column and a box with the server's own mermaid."""
    names = [*NASTY, *random_names(60)]
    diagrams = [er_diagram(make_tables([name, "plain"])) for name in names]
    for start in range(0, len(names), 10):
        chart = lineage_page([make_theme(name) for name in names[start : start + 10]])
        diagrams.append(chart.split("```mermaid\n")[1].split("\n```")[0])
    page.goto(f"{base(server)}/dashboard")
    ends = page.evaluate(DRAW, [scripts_of(server)[0], diagrams])
    errors = [(diagram, error) for diagram, (error, _) in zip(diagrams, ends, strict=True) if error]
    assert errors == []
    told = dict(zip(names, (text for _, text in ends), strict=False))
    for name in ('say "no"', "a|b", "{a}", "%% note", "<b>x</b>", "#quot;", "漢字", "naïve", "PK", "--> y", ":::x"):
        assert told[name].count(name) >= 2, f"{name!r} is drawn as {told[name]!r}"  # as a table, and as a column
    assert re.search("x{39}…", told["x" * 300])
