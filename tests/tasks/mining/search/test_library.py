"""The library provider finds a user's files by the words of their names, headers, values and READMEs."""

from __future__ import annotations

from pathlib import Path

from tasks.mining.search.library import LibraryProvider
from tests.tasks.mining.web_site import save


def test_files_are_found_with_their_licence(tmp_path: Path) -> None:
    root = tmp_path / "library"
    save(root / "aviation")
    (root / "shops").mkdir()
    (root / "shops" / "sales.csv").write_text("shop,turnover\n" + "\n".join(f"s{n},{n}" for n in range(9)), "utf-8")
    provider = LibraryProvider(root, tmp_path / "index.sqlite")
    hits = provider.search("runways of airports", 5)
    assert [hit.address for hit in hits] == ["library:aviation/runways.csv"]
    assert (hits[0].title, hits[0].provider) == ("Runways of airports", "library")
    assert provider.path(hits[0].address).is_file() and provider.licence(hits[0].address).startswith("CC0")
    assert [hit.address for hit in provider.search("turnover", 5)] == ["library:shops/sales.csv"]
    assert provider.licence("library:shops/sales.csv") == "unknown"
    assert provider.search("", 5) == []
