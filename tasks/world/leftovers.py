"""Leftovers of processes that were killed: entries whose names carry the id of their process."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def clear_leftovers(folder: Path, prefix: str) -> None:
    """Remove the entries `<prefix><process id>[-…]` whose process is gone; a live process's stay."""
    for leftover in folder.glob(f"{prefix}*"):
        try:
            os.kill(int(leftover.name.removeprefix(prefix).split("-")[0]), 0)
        except ProcessLookupError:
            shutil.rmtree(leftover, ignore_errors=True)
        except PermissionError:
            continue  # alive, and someone else's
