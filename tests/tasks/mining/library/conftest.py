"""A small library of own files, planted for one test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Plant = Callable[..., Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Return a function ({path: text or bytes}, name) that writes a tree and returns its root."""

    def write(tree: Mapping[str, str | bytes], name: str = "library") -> Path:
        root = tmp_path / name
        root.mkdir()
        for path, content in tree.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write
