"""Leftovers of processes that were killed: folders whose names carry the id of their process."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from stat import S_ISDIR


def clear_leftovers(folder: Path, prefix: str) -> None:
    """Remove the folders `<prefix><process id>[-…]` of ours whose process is gone; a live process's stay.

    A process in another container is not seen by its id; a folder that it holds (`hold`) stays too.
    """
    for leftover in folder.glob(f"{prefix}*"):
        owner = leftover.name.removeprefix(prefix).split("-")[0]
        if owner.isascii() and owner.isdigit() and not _is_alive(int(owner)) and _is_free(leftover):
            shutil.rmtree(leftover, ignore_errors=True)


def hold(folder: Path) -> int:
    """Lock `folder` for as long as the returned descriptor is open, or this process lives."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # someone else's
        return True
    return True


def _is_free(folder: Path) -> bool:
    """Whether `folder` is a folder of this user that nobody holds."""
    try:
        status = folder.lstat()
        if not S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        os.close(hold(folder))
    except OSError:  # held, or gone meanwhile
        return False
    return True
