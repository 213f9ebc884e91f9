"""Copies of a collection are one theme: what counts is the bytes of its own files."""

from __future__ import annotations

from schemas.themes import Source, Theme
from tasks.themes.copies import merge_copies


def collection(name: str, *files: tuple[str, str]) -> tuple[Theme, list[Source]]:
    theme = Theme(
        name=name, title=name, description="", kind="folder", package=name, version="1", licence="MIT", tables=[]
    )
    mark = {"theme_id": theme.id, "package": name, "version": "1", "licence": "MIT", "bytes": 1, "retrieved_at": ""}
    return theme, [Source(id=f"{name}/{file}", file=file, sha256=sha256, **mark) for file, sha256 in files]


def merged(*collections: tuple[Theme, list[Source]]) -> tuple[list[str], list[str]]:
    kept, merges = merge_copies([theme for theme, _ in collections], {theme.id: files for theme, files in collections})
    ids = {theme.id: theme.name for theme in kept}
    return [theme.name for theme in kept], [f"{merge.merged_name} is {ids[merge.theme_id]}" for merge in merges]


def test_equal_files_under_other_names_are_a_copy() -> None:
    one = collection("air", ("air/air.csv", "1"), ("air/sites.csv", "2"))
    other = collection("quality", ("quality/sites.csv", "2"), ("quality/air.csv", "1"))
    assert merged(other, one) == (["air"], ["quality is air"])


def test_a_part_or_a_borrowed_file_makes_no_copy() -> None:
    one = collection("air", ("air/air.csv", "1"), ("air/sites.csv", "2"))
    part = collection("part", ("part/air.csv", "1"))
    borrower = collection("towns", ("towns/towns.csv", "3"), ("air/sites.csv", "2"))
    assert merged(one, part, borrower, collection("empty"), collection("void")) == (
        ["air", "empty", "part", "towns", "void"],
        [],
    )
