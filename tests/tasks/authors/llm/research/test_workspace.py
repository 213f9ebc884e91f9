"""The workspace: what is given is replaced, what is written stays, and there is an end to both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.authors.llm.react.loop import ToolFault
from tasks.authors.llm.research.workspace import MOST_FILES, Workspace


def test_what_is_given_replaces_what_was_given_before(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    workspace.give({"tables/a.json": b"[]", "tables/b.json": b"[]"})
    workspace.write("own.md", "mine")
    workspace.give({"tables/b.json": b"[1]"})
    assert workspace.sizes() == {"own.md": 4, "tables/b.json": 3}
    assert workspace.bodies() == {"own.md": b"mine", "tables/b.json": b"[1]"}
    assert not (tmp_path / "w" / "tables" / "a.json").exists()
    assert workspace.holds("own.md") and not workspace.holds("tables/b.json")


def test_it_begins_empty_and_is_bounded(tmp_path: Path) -> None:
    Workspace(tmp_path / "w").write("old.txt", "x")
    workspace = Workspace(tmp_path / "w")
    assert workspace.sizes() == {} and not (tmp_path / "w" / "old.txt").exists()
    for number in range(MOST_FILES):
        workspace.write(f"f{number}.txt", "x")
    workspace.write("f0.txt", "written over")
    with pytest.raises(ToolFault, match="files already"):
        workspace.write("one_more.txt", "x")
