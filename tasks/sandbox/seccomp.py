"""Seccomp: assemble the table of `syscalls.py` into a BPF program and install it.

The program sees `struct seccomp_data`: the call's number at byte 0, the architecture at 4 and
six 64-bit arguments from 16 on, of which BPF loads one 32-bit half at a time.
"""

from __future__ import annotations

import ctypes
import struct

from . import kernel
from .syscalls import (
    CLONE3,
    DENIED,
    FCNTL,
    FCNTL_DENIED,
    FIRST_UNKNOWN,
    IOCTL,
    IOCTL_DENIED,
    PRLIMIT64,
    SELF_SIGNALS,
)

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x00050000 | 1, 0x00050000 | 38
AUDIT_ARCH = kernel.number(0xC000003E, 0xC00000B7)
X32_BIT = 0x40000000
"""Set in the numbers of the x32 ABI, which would reach every call by another number."""
MODE_FILTER = 2


def argument(index: int, high: bool = False) -> int:
    """Return the offset of half of argument `index` (0-based; both machines are little-endian)."""
    return 16 + 8 * index + (4 if high else 0)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def _answer(number: int, verdict: int) -> list[bytes]:
    """Return `verdict` for call `number`; the accumulator holds the number before and after."""
    return [_step(JUMP_EQUAL, number, 0, 1), _step(RETURN, verdict)]


def _for_call(number: int, body: list[bytes]) -> list[bytes]:
    """Run `body`, which must return on every path, for call `number`."""
    return [_step(JUMP_EQUAL, number, 0, len(body)), *body]


def _refuse_values(index: int, values: list[int]) -> list[bytes]:
    """EPERM if the low half of the argument is one of `values`, else allow."""
    tests = [_step(JUMP_EQUAL, value, len(values) - i) for i, value in enumerate(values)]
    return [_step(LOAD, argument(index)), *tests, _step(RETURN, ALLOW), _step(RETURN, EPERM)]


def _require_value(index: int, value: int) -> list[bytes]:
    """Allow if the low half of the argument is `value`, else EPERM."""
    return [_step(LOAD, argument(index)), _step(JUMP_EQUAL, value, 0, 1), _step(RETURN, ALLOW), _step(RETURN, EPERM)]


def _require_null(index: int) -> list[bytes]:
    """Allow if the 64-bit argument is 0, else EPERM."""
    return [
        _step(LOAD, argument(index)),
        _step(JUMP_EQUAL, 0, 0, 3),
        _step(LOAD, argument(index, high=True)),
        _step(JUMP_EQUAL, 0, 0, 1),
        _step(RETURN, ALLOW),
        _step(RETURN, EPERM),
    ]


def _head() -> list[bytes]:
    """Kill on a foreign architecture or ABI; refuse what is newer than the table."""
    steps = [_step(LOAD, 4), _step(JUMP_EQUAL, AUDIT_ARCH, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    if kernel.IS_X86:
        steps += [_step(JUMP_AT_LEAST, X32_BIT, 0, 1), _step(RETURN, KILL)]
    return [*steps, _step(JUMP_AT_LEAST, FIRST_UNKNOWN, 0, 1), _step(RETURN, ENOSYS)]


def _tail() -> list[bytes]:
    steps = _answer(CLONE3, ENOSYS)
    steps += _for_call(kernel.number(*PRLIMIT64), _require_null(2))
    steps += _for_call(kernel.number(*FCNTL), _refuse_values(1, list(FCNTL_DENIED)))
    steps += _for_call(kernel.number(*IOCTL), _refuse_values(1, list(IOCTL_DENIED)))
    for row in DENIED:
        if row.number is not None:
            steps += _answer(row.number, EPERM)
    return [*steps, _step(RETURN, ALLOW)]


_HEAD, _TAIL = b"".join(_head()), b"".join(_tail())


def assemble(pid: int) -> bytes:
    """Return the program for the worker with process id `pid`, 8 bytes an instruction."""
    signals = b"".join(
        step for numbers in SELF_SIGNALS.values() for step in _for_call(kernel.number(*numbers), _require_value(0, pid))
    )
    return _HEAD + signals + _TAIL


def install(pid: int) -> None:
    """Filter this process's system calls for good. no_new_privs must be set; OSError on refusal."""
    program = assemble(pid)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer)))
    kernel.prctl(kernel.PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(header))
