"""Folders of documents as sources of themes: each file is read as what its ending says it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from schemas.errors import UsageError
from tasks.themes.findings import Finding, joined
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.requirements import read_requirements
from tasks.themes.sources.tool_documents import read_tool_document

READERS: dict[str, Callable[[Path, Bounds, str], Finding]] = {
    ".md": read_requirements,
    ".docx": read_requirements,
    ".json": read_tool_document,
    ".yaml": read_tool_document,
    ".yml": read_tool_document,
}


def read_folder(folder: Path, bounds: Bounds, licence: str) -> Finding:
    """Return the themes of the documents in a folder, by file name; UsageError when it has none."""
    files = sorted(file for file in folder.glob("*") if file.suffix.lower() in READERS and file.is_file())
    if not files:
        endings = ", ".join(READERS)
        raise UsageError(f"{folder} holds no document. Give a folder with files that end in {endings}")
    return joined(READERS[file.suffix.lower()](file, bounds, licence) for file in files)
