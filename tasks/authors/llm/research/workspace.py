"""The workspace: files that the agent may list, read and write, in one folder that no path leads out of."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tasks.authors.llm.react.loop import ToolFault

_PATH = re.compile(r"(?:[A-Za-z0-9_-]+/){0,3}[A-Za-z0-9_-][A-Za-z0-9_.-]*\.(?:json|csv|txt|md|py)")
_LONGEST_PATH = 120
GIVEN = ("tables/", "pages/")
"""What was gathered lies here: for the agent to read."""
MOST_FILES, MOST_BYTES = 40, 1_000_000


class Workspace:
    """Files below `folder`, which begins empty: an earlier run's are removed, or a rerun would read them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._sizes: dict[str, int] = {}

    def give(self, files: Mapping[str, bytes]) -> None:
        """Put down what was gathered, in place of what was before; paths begin with one of `GIVEN`."""
        for path in [path for path in self._sizes if path.startswith(GIVEN) and path not in files]:
            (self._folder / path).unlink()
            del self._sizes[path]
        for path, body in files.items():
            self._put(path, body)

    def write(self, path: str, text: str) -> None:
        """Write a file of the agent's own; raises ToolFault for a path or a size that may not be."""
        checked = self._checked(path)
        body = text.encode("utf-8", "replace")
        if checked.startswith(GIVEN):
            raise ToolFault(f"{' and '.join(GIVEN)} hold what was gathered; write elsewhere")
        if len(body) > MOST_BYTES:
            raise ToolFault(f"{len(body)} bytes are too many for one file, {MOST_BYTES} are allowed")
        if checked not in self._sizes and sum(not name.startswith(GIVEN) for name in self._sizes) >= MOST_FILES:
            raise ToolFault(f"there are {MOST_FILES} files already; write over one of them")
        self._put(checked, body)

    def read(self, path: str) -> str:
        """Return a file's text; raises ToolFault where there is none."""
        return self.place(path).read_text("utf-8", "replace")

    def place(self, path: str) -> Path:
        """Return where a file lies; raises ToolFault where there is none."""
        checked = self._checked(path)
        if checked not in self._sizes:
            raise ToolFault("there is no such file; list_files tells which there are")
        return self._folder / checked

    def holds(self, path: str) -> bool:
        """Return whether there is a file of that path that the agent wrote."""
        return path in self._sizes and not path.startswith(GIVEN)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every file, by path, sorted."""
        return dict(sorted(self._sizes.items()))

    def bodies(self) -> dict[str, bytes]:
        """Return every file's bytes, by path, sorted."""
        return {path: (self._folder / path).read_bytes() for path in self.sizes()}

    def _put(self, path: str, body: bytes) -> None:
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
        self._sizes[path] = len(body)

    def _checked(self, path: str) -> str:
        if len(path) > _LONGEST_PATH or not _PATH.fullmatch(path):
            raise ToolFault(
                "no such path: write folder/name.csv, with letters, digits, - and _; .json .csv .txt .md .py"
            )
        return path
