"""Lists of MCP servers and entries of a registry."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UsageError
from tasks.themes.findings import REASONS, Finding
from tasks.themes.merging import merge_themes
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.mcp import read_list

SHARED = Path(__file__).parents[5] / "shared" / "mcp" / "servers.jsonl.gz"


def tool(name: str, *parameters: str) -> dict[str, Any]:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return {"name": name, "description": "", "inputSchema": {"type": "object", "properties": properties}}


HOTELS = {
    "name": "Hotels",
    "overview": "Finds hotels.",
    "tools": [tool("search_hotels", "city", "stars"), tool("book_hotel")],
}
ENTRY = {
    "name": "io.github.example/weather",
    "description": "Weather of everywhere.",
    "version": "1.0.2",
    "repository": {"url": "https://example.org/weather", "source": "github"},
    "packages": [{"registryType": "npm", "identifier": "@example/weather", "version": "1.0.2", "runtimeHint": "npx"}],
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_each_line_is_a_theme_or_says_why_not(tmp_path: Path) -> None:
    lines = [json.dumps(HOTELS), '{"name": "broken', "7", json.dumps({"name": "Sums", "tools": [tool("add", "a")]}), ""]
    lines += [
        json.dumps({"name": "Empty", "tools": []}),
        json.dumps({"name": "Odd", "tools": [3, {"title": "x"}, None]}),
    ]
    lines += ["[" * 100_000, json.dumps({"name": "bad \ud800 text", "tools": [tool("list_books \ud800", "title")]})]
    path = tmp_path / "servers.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    finding = read_list(path, Bounds(), "MIT")
    assert [theme.evidence[0].address for theme in finding.themes] == ["servers.jsonl.gz#1", "servers.jsonl.gz#8"]
    reasons = [(refusal.address.rpartition("#")[2], refusal.reason) for refusal in finding.refusals]
    assert reasons == [
        ("2", "unreadable"), ("3", "unreadable"), ("4", "nothing_to_store"), ("5", "no_tools"), ("6", "no_tools"),
        ("7", "unreadable"),
    ]  # fmt: skip
    assert all(theme.id for theme in finding.themes)
    assert len(read_list(path, Bounds(), "MIT", most=1).themes) == 1


def test_a_theme_keeps_its_evidence(tmp_path: Path) -> None:
    (theme,) = read_list(written(tmp_path / "hotels.json", json.dumps(HOTELS)), Bounds(), "MIT").themes
    (evidence,) = theme.evidence
    assert (theme.kind, theme.licence, theme.package, theme.version) == (
        "mcp",
        "MIT",
        "hotels.json",
        evidence.sha256[:16],
    )
    assert (evidence.kind, evidence.bytes > 100, bool(evidence.retrieved_at)) == ("mcp_server", True, True)
    assert [(one.verb, one.entity) for one in theme.operations] == [("search", "hotels"), ("create", "hotels")]


@pytest.mark.parametrize(
    "whole", [{"servers": [HOTELS]}, [HOTELS], HOTELS["tools"], {"result": {"tools": HOTELS["tools"]}}]
)
def test_lists_are_read_however_they_are_wrapped(tmp_path: Path, whole: Any) -> None:
    (theme,) = read_list(written(tmp_path / "x.json", json.dumps(whole)), Bounds(), "MIT").themes
    assert theme.entities[0].name == "hotels"


@pytest.mark.parametrize("entry", [ENTRY, {"server": ENTRY}, {"servers": [{"server": ENTRY, "_meta": {}}]}])
def test_an_entry_of_a_registry_names_no_tools_but_how_to_ask(tmp_path: Path, entry: Any) -> None:
    (refusal,) = read_list(written(tmp_path / "server.json", json.dumps(entry)), Bounds(), "MIT").refusals
    assert refusal.reason == "no_tools"
    assert "factory discover mcp -- npx @example/weather" in refusal.detail


def test_an_entry_with_an_address_is_asked_only_when_told_to(tmp_path: Path) -> None:
    remote = ENTRY | {"remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:9/mcp"}]}
    path = written(tmp_path / "server.json", json.dumps(remote))
    assert [one.reason for one in read_list(path, Bounds(), "MIT").refusals] == ["no_tools"]
    assert [one.reason for one in read_list(path, Bounds(seconds=5), "MIT", live=True).refusals] == ["no_answer"]


def test_files_that_hold_no_servers_are_mistakes_of_the_user(tmp_path: Path) -> None:
    for name, text in (("a.json", "{"), ("b.jsonl", "\n \n"), ("c.json", "[]")):
        with pytest.raises(UsageError, match=name):
            read_list(written(tmp_path / name, text), Bounds(), "MIT")
    (tmp_path / "d.jsonl.gz").write_bytes(b"\x1f\x8bno archive")
    for name in ("d.jsonl.gz", "missing.jsonl"):
        with pytest.raises(UsageError, match=name):
            read_list(tmp_path / name, Bounds(), "MIT")


def test_a_document_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b"0" * 5_000_000))
    (refusal,) = read_list(path, Bounds(document_bytes=1_000_000), "MIT").refusals
    assert (refusal.reason, refusal.detail) == ("too_large", "more than 1 MB")


@pytest.fixture(scope="module")
def shared() -> Finding:
    if not SHARED.exists():
        pytest.skip("../shared/mcp/servers.jsonl.gz is not there")
    return merge_themes(read_list(SHARED, Bounds(), "MIT"))


def test_all_servers_of_the_shared_list_are_accounted_for(shared: Finding) -> None:
    assert shared.looked_at == 678
    assert len(shared.themes) >= 400
    assert set(Counter(refusal.reason for refusal in shared.refusals)) <= set(REASONS)
    assert len({theme.name for theme in shared.themes}) == len(shared.themes)


def test_most_operations_of_the_shared_list_are_understood(shared: Finding) -> None:
    """A verb and a thing that becomes a table; of those that a database can answer."""
    operations = [one for theme in shared.themes for one in theme.operations]
    answered = [one for one in operations if one.verb != "other"]
    assert len(answered) >= 0.8 * len(operations)
    assert sum(bool(one.entity) for one in answered) >= 0.8 * len(answered)


def test_every_theme_of_the_shared_list_can_be_built(shared: Finding) -> None:
    for theme in shared.themes:
        tables = {entity.name for entity in theme.entities}
        assert tables, theme.name
        assert {one.entity for one in theme.operations} <= tables | {""}
        for entity in theme.entities:
            assert len({field.name for field in entity.fields}) == len(entity.fields) >= 3, (theme.name, entity.name)
            assert all(field.refers_to in tables for field in entity.fields if field.refers_to)
