"""Namespaces, and the names of the backends: what the fork server needs of them, without what the host needs.

The fork server's pages are copied into every worker, so nothing heavy is imported here.
"""

from __future__ import annotations

import os
from typing import Literal

BackendName = Literal["landlock", "bwrap"]
NAMESPACES = ("ipc", "mnt", "net", "pid", "uts")
"""The namespaces that bwrap must have made anew, as /proc/self/ns calls them."""


def current_namespaces() -> dict[str, str]:
    """Return this process's namespaces: name → identity, equal in two processes only if they share it."""
    return {name: os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES}
