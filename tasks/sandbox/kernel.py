"""The few system calls that Python has no function for, by ctypes, on x86-64 and aarch64 Linux."""

from __future__ import annotations

import ctypes
import os
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
MACHINE = os.uname().machine
IS_X86 = MACHINE == "x86_64"
IS_SUPPORTED = os.uname().sysname == "Linux" and MACHINE in ("x86_64", "aarch64")

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38


def number(x86_64: int, aarch64: int) -> int:
    """Return the one of two system call numbers that holds on this machine."""
    return x86_64 if IS_X86 else aarch64


def system_call(nr: int, *arguments: Any) -> int:
    """Make system call `nr`; integers are passed as longs. OSError when the kernel refuses."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = LIBC.syscall(ctypes.c_long(nr), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def prctl(option: int, *arguments: int) -> None:
    """Call prctl(2), missing arguments as 0. OSError when the kernel refuses."""
    words = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    if LIBC.prctl(ctypes.c_int(option), *words) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
