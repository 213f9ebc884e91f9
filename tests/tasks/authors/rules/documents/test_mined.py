"""A folder's own documents come along unchanged, within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.themes import TableRecipe, Theme
from tasks.authors.rules.documents.mined import MOST_BYTES, MOST_FILES, mined_documents


def theme(**more: object) -> Theme:
    base: dict[str, object] = {"name": "shops", "title": "Shops", "description": "Shops", "kind": "folder"}
    base |= {"package": "shops", "version": "1", "licence": "CC0"}
    base["tables"] = [TableRecipe(name="hours", file="shops/hours.json")]
    return Theme.model_validate(base | more)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "shops"
    (folder / "notes").mkdir(parents=True)
    files = {
        "zebra.md": "# Zebra\n\nStripes.\n",
        "README.md": "# Shops\n\n| column | meaning |\n| --- | --- |\n| a | the first |\n",
        "hours.json": '[{"a": 1}]',
        "settings.yaml": "limit: 3\n",
        "anchors.yaml": "a: &x 1\nb: *x\n",
        "broken.json": "{",
        "page.html": "<h1>Shops</h1><p>Open.</p>",
        "notes/paper.tex": "\\section{Shops}\nOpen.\n",
        "notes/load.sql": "SELECT 1;\n",
        "empty.md": "",
        "data.csv": "a,b\n1,2\n",
        "large.md": "x" * (MOST_BYTES + 1),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "latin.md").write_bytes("# Café\n".encode("latin-1"))
    (folder / "linked.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("# Outside\n")
    return tmp_path


def test_small_well_formed_files_come_along_unchanged(library: Path) -> None:
    found = mined_documents(theme(), library)
    names = ["README.md", "notes/load.sql", "notes/paper.tex", "page.html", "settings.yaml", "zebra.md"]
    assert [document.path for document in found] == [f"source/{name}" for name in names]
    assert all(d.origin == "mined" and not d.editable and not d.facts for d in found)
    assert [d.text for d in found] == [(library / "shops" / name).read_text() for name in names]
    assert len(found) <= MOST_FILES


def test_nothing_comes_without_a_licence_or_from_another_kind_of_theme(library: Path) -> None:
    assert mined_documents(theme(licence="unknown"), library) == []
    assert mined_documents(theme(kind="dataset"), library) == []
    assert mined_documents(theme(package="nowhere"), library) == []
