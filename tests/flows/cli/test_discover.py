"""factory discover: what was found is shown, as a table or JSON, and stored for the next command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.discover import discover
from schemas.errors import UsageError

LIVE = Path(__file__).parents[2] / "tasks" / "themes" / "sources" / "live_servers.py"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("discover") / "home"


def run(home: Path, *words: str) -> str:
    """Run a command that succeeds; options stand before the words."""
    command, *rest = words
    result = CliRunner().invoke(discover, [command, "--home", str(home), *rest], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def found(home: Path, *words: str) -> Any:
    command, *rest = words
    return json.loads(run(home, command, "--json", *rest))


def server(name: str, *tools: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "rating": {"type": "number"}}}
    return {"name": name, "description": "Hotels.", "tools": [{"name": tool, "inputSchema": schema} for tool in tools]}


def test_a_list_of_servers(home: Path, tmp_path: Path) -> None:
    servers = [server("Rooms", "search_hotels", "get_hotel"), server("Beds", "get_hotel", "search_hotels")]
    path = tmp_path / "servers.jsonl"
    path.write_text("\n".join(map(json.dumps, [*servers, server("Sums", "calculate")])), "utf-8")
    report = found(home, "mcp", str(path), "--licence", "MIT")
    assert report["themes"] == {"in": 1, "merged": 1, "rejected": 1, "by_reason": {"nothing_to_store": 1}}
    assert report["operations"] == {"named": 2, "with_verb_and_entity": 2, "share": 1.0}
    assert report["found"] == [{"theme": "rooms", "kind": "mcp", "operations": 2, "things": "hotels"}]
    table = run(home, "mcp", str(path), "--licence", "MIT")
    assert "merged by tools" in table
    assert "rejected: nothing_to_store" in table


def test_a_live_server_behind_two_dashes(home: Path) -> None:
    report = found(home, "mcp", "--name", "My tasks", "--", sys.executable, str(LIVE), "well", "mark-cli")
    assert [row["theme"] for row in report["found"]] == ["my_tasks"]


def test_documents_and_sites(home: Path, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "search_books"}, {"name": "get_book"}]), "utf-8")
    (tmp_path / "shop.md").write_text(
        "# Shop\n\n- **Product**: name, price, colour\n\nStaff can add products.\n", "utf-8"
    )
    assert found(home, "tools", str(tmp_path / "tools.json"), "--name", "Shelf")["found"][0]["things"] == "books"
    assert found(home, "requirements", str(tmp_path / "shop.md"))["found"][0]["kind"] == "requirements"
    assert found(home, "site", "https://example.org/")["found"][0]["things"] == "https://example.org/"


def test_a_folder_of_data(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "library" / "bakery"
    folder.mkdir(parents=True)
    rows = "\n".join(f"loaf {at},{at}.5,rye" for at in range(40))
    (folder / "loaves.csv").write_text(f"name,price,flour\n{rows}\n", "utf-8")
    copy = tmp_path / "library" / "oven"
    copy.mkdir()
    (copy / "bread.csv").write_bytes((folder / "loaves.csv").read_bytes())
    report = found(home, "data", str(tmp_path / "library"))
    assert [row["theme"] for row in report["found"]] == ["bakery"]
    assert (report["themes"]["in"], report["themes"]["merged"]) == (1, 1)
    with pytest.raises(UsageError, match="not a folder"):
        run(home, "data", str(tmp_path / "nowhere"))


def test_what_is_the_same_as_something_found_before_is_merged(home: Path, tmp_path: Path) -> None:
    for name, tools in (("Vets", ("search_animals", "get_animal")), ("Clinic", ("get_animal", "search_animals"))):
        (tmp_path / f"{name}.json").write_text(json.dumps(server(name, *tools)), "utf-8")
    assert found(home, "mcp", str(tmp_path / "Vets.json"))["themes"]["in"] == 1
    report = found(home, "mcp", str(tmp_path / "Clinic.json"))
    assert (report["themes"]["in"], report["themes"]["merged"]) == (0, 1)


def test_what_was_found_is_stored(home: Path, tmp_path: Path) -> None:
    from warehouse.published import Published

    path = tmp_path / "one.json"
    path.write_text(json.dumps(server("Rooms to let", "search_hotels")), "utf-8")
    run(home, "mcp", str(path))
    run(home, "mcp", str(path))
    rows = Published(home).sql("select kind, licence from themes where name = 'rooms_to_let'").rows
    assert [tuple(row) for row in rows] == [("mcp", "unknown")]


def test_a_missing_file_is_a_mistake_of_the_user(home: Path) -> None:
    for words in (("mcp", "missing.jsonl"), ("tools", "missing.json"), ("requirements", "missing.md")):
        with pytest.raises(UsageError, match=r"missing\.\w+ cannot be read"):
            run(home, *words)
