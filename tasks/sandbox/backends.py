"""Backends: what stands around the fork server, besides the jail that each worker puts itself into.

`landlock` adds nothing: Landlock, seccomp, limits and dropped capabilities are the whole wall, and
it works without root and inside an ordinary container. `bwrap` starts the fork server in
namespaces of its own (bubblewrap): a second wall, where the kernel allows user namespaces.
A backend that this machine lacks is refused with the fix; there is no falling back to another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from .errors import SandboxUnavailable
from .namespaces import NAMESPACES, current_namespaces

PROBE_S = 30.0
OTHERWISE = "Or choose the default: FACTORY_SANDBOX__BACKEND=landlock."


class Backend(Protocol):
    """A wall around the fork server."""

    def prefix(self, scratch: Path) -> list[str]:
        """Return what stands before the fork server's command; workspaces lie below `scratch`.

        SandboxUnavailable, with the fix, when this machine does not have the backend.
        """
        ...

    def probe(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run `command` (prefix and a program that ends at once); SandboxUnavailable when it fails."""
        ...

    def gaps(self, namespaces: Mapping[str, str]) -> list[str]:
        """Return what the wall lacks, given the fork server's namespaces."""
        ...


class LandlockBackend:
    """The jail alone."""

    def prefix(self, scratch: Path) -> list[str]:
        """Return nothing: the fork server is an ordinary process."""
        return []

    def probe(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Do nothing: the self-test tells."""

    def gaps(self, namespaces: Mapping[str, str]) -> list[str]:
        """Return nothing: no namespace is asked for."""
        return []


class BwrapBackend:
    """The jail inside namespaces: no other process, no network, and one writable folder.

    Files stay where they are, read-only, since Landlock says which of them a worker may read.
    Not --die-with-parent: it follows the *thread* that started bwrap, which may end before the pool.
    """

    def prefix(self, scratch: Path) -> list[str]:
        """Return the bwrap command up to `--`; SandboxUnavailable when there is no bwrap."""
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailable(
                f"the sandbox backend bwrap needs the program bwrap. Install it: apt-get install bubblewrap. {OTHERWISE}"
            )
        folder = os.path.realpath(scratch)
        walls = ["--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
        return [program, *walls, "--bind", folder, folder, "--chdir", "/", "--"]

    def probe(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run `command` in namespaces; SandboxUnavailable, with bwrap's own words, when that fails."""
        try:
            ended = subprocess.run(
                command, env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PROBE_S
            )  # fmt: skip
            words = "" if ended.returncode == 0 else ended.stderr.strip() or f"exit code {ended.returncode}"
        except (OSError, subprocess.TimeoutExpired) as error:
            words = str(error)
        if words:
            raise SandboxUnavailable(
                f"the sandbox backend bwrap does not work here: {words}. Allow user namespaces "
                "(sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0; an ordinary "
                f"container refuses them). {OTHERWISE}"
            )

    def gaps(self, namespaces: Mapping[str, str]) -> list[str]:
        """Return the namespaces that the fork server still shares with this process."""
        ours = current_namespaces()
        return [f"share the host's {name} namespace" for name in NAMESPACES if namespaces.get(name) == ours.get(name)]


BACKENDS: dict[str, Backend] = {"landlock": LandlockBackend(), "bwrap": BwrapBackend()}


def backend_called(name: str) -> Backend:
    """Return the backend of that name; SandboxUnavailable, naming the ones there are, when there is none."""
    if name not in BACKENDS:
        raise SandboxUnavailable(f"no sandbox backend is called {name!r}. Choose from: {', '.join(BACKENDS)}")
    return BACKENDS[name]
