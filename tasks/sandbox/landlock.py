"""Landlock: which files a process may still touch, enforced by the kernel for good.

Every right of the running kernel's ABI is handled, that is, refused unless a rule grants it.
Rules grant reading of the interpreter, and reading and writing (not creating, removing, linking
or renaming) in the workspace. ABI 1 is Linux 5.13; later ones add what is marked below.
Source: Documentation/userspace-api/landlock.rst in the kernel tree.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from stat import S_ISDIR

from . import kernel
from .errors import SandboxUnavailable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
FILESYSTEM_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI → how many rights (low bits) exist: 1 execute … make_sym, 2 refer, 3 truncate, 5 ioctl_dev."""
LATEST_RIGHTS = 16
TCP_RIGHTS = 0b11
"""ABI 4: bind, connect."""
SCOPES = 0b11
"""ABI 6: abstract unix sockets and signals outside the domain."""


def abi() -> int:
    """Return the kernel's Landlock ABI; 0 when there is none, or a filter hides it."""
    try:
        return kernel.system_call(CREATE_RULESET, None, 0, VERSION_FLAG)
    except OSError:
        return 0


def require() -> int:
    """Return the ABI, or raise SandboxUnavailable with the fix."""
    if not kernel.IS_SUPPORTED:
        raise SandboxUnavailable(
            f"the sandbox needs Linux on x86_64 or aarch64, this is {os.uname().sysname} on {kernel.MACHINE}. "
            "Run in a Linux container or virtual machine."
        )
    version = abi()
    if version < 1:
        raise SandboxUnavailable(
            f"Landlock is not available (kernel {os.uname().release}). It needs Linux 5.13 or newer with `landlock` "
            "in the boot parameter lsm= (see: cat /sys/kernel/security/lsm), and in a container a seccomp profile "
            "that allows the landlock_* calls (Docker's default since 20.10.10 does)."
        )
    return version


def restrict(readable: Iterable[str], writable: Iterable[str], version: int) -> None:
    """Confine this process: read below `readable`, read and write existing files below `writable`.

    no_new_privs must be set. A missing readable path is left out. OSError when the kernel refuses.
    """
    rights = (1 << FILESYSTEM_RIGHTS.get(version, LATEST_RIGHTS)) - 1
    ruleset = _create_ruleset(rights, version)
    try:
        for path in readable:
            if os.path.exists(path):
                _add_rule(ruleset, path, READ_FILE | READ_DIR)
        for path in writable:
            _add_rule(ruleset, path, (READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE) & rights)
        kernel.system_call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _create_ruleset(rights: int, version: int) -> int:
    attributes = struct.pack("=Q", rights)
    if version >= 4:
        attributes += struct.pack("=Q", TCP_RIGHTS)
    if version >= 6:
        attributes += struct.pack("=Q", SCOPES)
    return kernel.system_call(CREATE_RULESET, attributes, len(attributes), 0)


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not S_ISDIR(os.fstat(handle).st_mode):
            rights &= ~READ_DIR
        attributes = ctypes.create_string_buffer(struct.pack("=Qi", rights, handle))
        kernel.system_call(ADD_RULE, ruleset, RULE_PATH_BENEATH, attributes, 0)
    finally:
        os.close(handle)
