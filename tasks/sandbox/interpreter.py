"""The interpreter that workers run: where it lies, and whether they can read it.

Workers have no capabilities, so under root too file modes hold for them; an interpreter in
another user's private folder works until a worker imports something.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from .errors import SandboxUnavailable

SHARED_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")
"""What the interpreter loads when a module is first imported."""
OWNER, GROUP, WORLD = 6, 3, 0
"""How far a mode's bits for each class of users are from the lowest."""


def interpreter_paths() -> list[str]:
    """Return what a worker may read besides its workspace: the interpreter and shared libraries."""
    own = {sysconfig.get_path("stdlib"), os.path.join(sys.base_prefix, "lib")}
    return sorted(path for path in own | set(SHARED_LIBRARIES) if os.path.exists(path))


def require_readable() -> None:
    """Raise SandboxUnavailable, with the fix, when a worker could not read its own interpreter."""
    for path in _needed():
        if (hidden := hidden_part(path)) is not None:
            status = hidden.stat()
            raise SandboxUnavailable(
                f"workers cannot read their interpreter: {hidden} has mode {status.st_mode & 0o7777:04o} and belongs "
                f"to user {status.st_uid}, and a worker has no capabilities, not even under root. Make it readable "
                f"(chmod o+rx {hidden}) or use an interpreter that everyone can read, such as /usr/bin/python3."
            )


def private_part() -> Path | None:
    """Return the first file or folder that keeps other users from this interpreter, None if all can read it."""
    parts = (hidden_part(path, everyone=True) for path in _needed())
    return next((part for part in parts if part is not None), None)


def hidden_part(path: Path, everyone: bool = False) -> Path | None:
    """Return the topmost of `path` and its parents that keeps a process from reading `path`, or None.

    The process is this one without capabilities, or with `everyone` that of any user.
    """
    for part in (*reversed(path.parents), path):
        wanted = os.X_OK if part != path else os.R_OK | (os.X_OK if part.is_dir() else 0)
        if not _permits(part, wanted, everyone):
            return part
    return None


def _permits(path: Path, wanted: int, everyone: bool) -> bool:
    if not everyone and os.geteuid() != 0:
        return os.access(path, wanted, effective_ids=True)
    status = path.stat()
    owner, groups = os.geteuid() == status.st_uid, {os.getegid(), *os.getgroups()}
    shift = WORLD if everyone else OWNER if owner else GROUP if status.st_gid in groups else WORLD
    return (status.st_mode >> shift) & wanted == wanted


def _needed() -> list[Path]:
    """Return what a worker may need at any time: the program and its library."""
    return [Path(sys.executable).resolve(), Path(sysconfig.get_path("stdlib"))]
