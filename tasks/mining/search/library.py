"""The `library` provider: files of a user's folder tree, by the full-text index that discovery keeps of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tasks.mining.library.digests import digest_file
from tasks.mining.library.folders import hash_files, walk_library
from tasks.mining.library.index import Index, IndexedFile, open_index
from tasks.mining.library.licences import licences_of
from tasks.mining.library.readmes import read_readme, shorten
from tasks.mining.search.provider import Hit

SCHEME = "library:"
"""Before the path of a file inside the library: its address."""
_SNIPPET = 200


class LibraryProvider:
    """Searches the folder tree `root`, whose index is kept at `index`; the tree is looked at once.

    The index is brought up to date at the start, and only read from then on: searches of other themes go on beside.
    """

    name = "library"

    def __init__(self, root: Path, index: Path) -> None:
        self._root = root
        folders = walk_library(root)
        readmes = {path: read_readme(root / f.readme) for path, f in folders.items() if f.readme}
        self._titles = {path: readme.title or "" for path, readme in readmes.items()}
        hashes = hash_files(root, (file for folder in folders.values() for file in folder.data))
        texts = {path: readme.text for path, readme in readmes.items()}
        self._licences = licences_of(folders, root, texts)
        self._readmes = {path: texts.get(folder.path, "") for folder in folders.values() for path in folder.data}
        files = [IndexedFile(path, hashes[path], text) for path, text in self._readmes.items()]
        with open_index(index, files, lambda path: digest_file(root / path)):
            pass
        self._index = Index(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True), {})

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return the files whose name, folder, README, headers or values hold words of the query, best first."""
        found = [hit for hit in self._index.search(query, limit) if hit.path in self._readmes]
        return [
            Hit(
                SCHEME + hit.path,
                self._titles.get(hit.path.rpartition("/")[0]) or hit.path.rpartition("/")[2],
                shorten(self._readmes[hit.path], _SNIPPET) if self._readmes[hit.path] else "",
                hit.score,
                self.name,
            )
            for hit in found
        ]

    def path(self, address: str) -> Path:
        """Return where the file of an address lies."""
        return self._root / address.removeprefix(SCHEME)

    def licence(self, address: str) -> str:
        """Return the licence of a file's folder."""
        return self._licences[address.removeprefix(SCHEME).rpartition("/")[0]]
