"""A fresh copy of the database per rollout, for ways that have no sessions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.world.bundle import DATABASE, Bundle


@contextmanager
def fresh_copy(bundle: Bundle, scratch: Path) -> Iterator[Path]:
    """Give a new folder below `scratch` with a copy of the bundle's database; delete it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="rollout-", dir=scratch))
    try:
        shutil.copyfile(bundle.database, folder / DATABASE)
        yield folder
    finally:
        shutil.rmtree(folder)
