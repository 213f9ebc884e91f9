"""A folder of documents: every file is read as what it is, and what gives no theme is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schemas.errors import UsageError
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.documents import read_folder

SAMPLES = Path(__file__).parents[3] / "documents"


def test_every_sample_document_gives_a_theme_of_its_kind() -> None:
    found = read_folder(SAMPLES, Bounds(), "MIT")
    assert found.refusals == []
    kinds = sorted(theme.kind for theme in found.themes)
    assert kinds == ["requirements"] * 9 + ["tools"] * 7


def test_what_gives_no_theme_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps({"no": "tools"}))
    (tmp_path / "a.md").write_text("# Notes\n\nNothing to build.\n")
    (tmp_path / "c.txt").write_text("not a document")
    found = read_folder(tmp_path, Bounds(), "MIT")
    assert (found.themes, [refusal.address for refusal in found.refusals]) == ([], ["a.md", "b.json"])


def test_a_folder_without_documents_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no document"):
        read_folder(tmp_path, Bounds(), "MIT")
