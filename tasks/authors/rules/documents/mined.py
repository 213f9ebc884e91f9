"""A source's own documents: small files of a folder theme that come along unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from schemas.documents import Document, DocumentFormat
from schemas.themes import Theme
from tasks.authors.rules.documents.readers import parts_of, read_content
from tasks.authors.rules.documents.runtime.reading import _document_content

MOST_FILES, MOST_BYTES, DEEPEST = 6, 64 * 1024, 3
SUFFIXES: dict[str, DocumentFormat] = {
    ".md": "md",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".html": "html",
    ".htm": "html",
    ".tex": "tex",
    ".sql": "sql",
}
UNKNOWN_LICENCES = {"", "unknown", "none"}
FOLDER = "source"


def mined_documents(theme: Theme, library: Path) -> list[Document]:
    """Return up to six documents of a folder theme, READMEs first, none of which gave a table.

    Taken are files of at most 64 KB in UTF-8 that two readers understand alike; links are left out. Nothing comes
    from a folder whose licence is not known.
    """
    if theme.kind != "folder" or theme.licence.strip().lower() in UNKNOWN_LICENCES:
        return []
    root = library / theme.package
    used = {library / file for table in theme.tables for file in (table.file, *table.parts)}
    found: list[Document] = []
    for path in sorted(_files(root), key=lambda path: (not path.stem.lower().startswith("readme"), path.as_posix())):
        document = None if path in used else _document(path, root)
        if document is not None and len(found) < MOST_FILES and document.path not in {d.path for d in found}:
            found.append(document)
    return found


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        shallow = len(path.relative_to(root).parts) <= DEEPEST
        linked = any(parent.is_symlink() for parent in (path, *path.parents) if parent.is_relative_to(root))
        if shallow and not linked and path.suffix.lower() in SUFFIXES and path.is_file():
            yield path


def _document(path: Path, root: Path) -> Document | None:
    """Return a file as a document; None when it is too large, empty, or no text that its format's readers agree on."""
    name, form = path.relative_to(root).as_posix(), SUFFIXES[path.suffix.lower()]
    if not 0 < path.stat().st_size <= MOST_BYTES or not name.isprintable():
        return None
    try:
        text = path.read_bytes().decode("utf-8")
        titled = Document(
            path=f"{FOLDER}/{name}",
            format=form,
            title=path.name,
            about=f"The source's own file {name}, unchanged.",
            origin="mined",
            text=text,
        )
        content = read_content(titled)
        alike = json.dumps(content, sort_keys=True, allow_nan=False) == json.dumps(
            _document_content(form, text), sort_keys=True, allow_nan=False
        )
        parts = list(parts_of(titled))
    except (ValueError, TypeError, RecursionError):
        return None
    return titled if alike and parts else None
