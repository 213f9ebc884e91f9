"""The filter is run by a small BPF interpreter, so that every row is tested without its syscall."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path

import pytest

from tasks.sandbox import kernel, seccomp
from tasks.sandbox.syscalls import (
    CLONE3,
    DENIED,
    FCNTL,
    FCNTL_DENIED,
    FIRST_UNKNOWN,
    IOCTL,
    IOCTL_DENIED,
    PRLIMIT64,
    SELF_SIGNALS,
    Denied,
)

PID = 4321


def verdict(number: int, *arguments: int, arch: int = seccomp.AUDIT_ARCH) -> int:
    """Interpret the program over one call's seccomp_data."""
    words = [value & 0xFFFFFFFFFFFFFFFF for value in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("=IIQ6Q", number, arch, 0, *words)
    steps = list(struct.iter_unpack("=HBBI", seccomp.assemble(PID)))
    accumulator, position = 0, 0
    while True:
        code, if_true, if_false, value = steps[position]
        position += 1
        if code == seccomp.LOAD:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == seccomp.JUMP_EQUAL:
            position += if_true if accumulator == value else if_false
        elif code == seccomp.JUMP_AT_LEAST:
            position += if_true if accumulator >= value else if_false
        else:
            assert code == seccomp.RETURN
            return int(value)


@pytest.mark.parametrize("row", DENIED, ids=lambda row: row.name)
def test_every_row_is_refused_and_says_why(row: Denied) -> None:
    assert row.reason
    if row.number is not None:
        assert verdict(row.number) == seccomp.EPERM


def test_numbers_and_names_are_unique() -> None:
    for field in ("name", "x86_64", "aarch64"):
        counts = Counter(value for row in DENIED if (value := getattr(row, field)) is not None)
        assert [value for value, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("numbers", [(0, 63), (1, 64), (17, 67), (18, 68), (257, 56), (9, 222), (77, 46), (74, 82)])
def test_reading_writing_mapping_and_truncating_an_open_file_are_allowed(numbers: tuple[int, int]) -> None:
    assert verdict(kernel.number(*numbers)) == seccomp.ALLOW


def test_a_foreign_architecture_kills() -> None:
    assert verdict(0, arch=0x40000003) == seccomp.KILL


@pytest.mark.skipif(not kernel.IS_X86, reason="x32 exists on x86-64 only")
def test_the_x32_calls_kill() -> None:
    assert verdict(seccomp.X32_BIT | 59) == seccomp.KILL


def test_newer_calls_are_unknown() -> None:
    assert verdict(FIRST_UNKNOWN) == verdict(CLONE3) == seccomp.ENOSYS
    assert verdict(FIRST_UNKNOWN - 1) == seccomp.ALLOW


@pytest.mark.parametrize("name", SELF_SIGNALS)
def test_signals_reach_the_worker_alone(name: str) -> None:
    number = kernel.number(*SELF_SIGNALS[name])
    assert verdict(number, PID, 9) == seccomp.ALLOW
    for other in (PID + 1, 1, 0, -1):
        assert verdict(number, other, 9) == seccomp.EPERM


def test_limits_may_be_read_but_not_set() -> None:
    number = kernel.number(*PRLIMIT64)
    assert verdict(number, 0, 7, 0, 0x7FFF0000) == seccomp.ALLOW
    assert verdict(number, 0, 7, 0x1000) == seccomp.EPERM
    assert verdict(number, 0, 7, 0x7F00_0000_0000) == seccomp.EPERM


@pytest.mark.parametrize(("numbers", "denied"), [(FCNTL, FCNTL_DENIED), (IOCTL, IOCTL_DENIED)])
def test_commands_on_descriptors(numbers: tuple[int, int], denied: dict[int, str]) -> None:
    for command in denied:
        assert verdict(kernel.number(*numbers), 3, command) == seccomp.EPERM
    for command in (1, 2, 3, 4, 6, 1030, 0x5401):
        assert verdict(kernel.number(*numbers), 3, command) == seccomp.ALLOW


@pytest.mark.parametrize(
    ("field", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_numbers_agree_with_the_kernels_headers(field: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no kernel headers at {header}")
    text = Path(header).read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text)}
    compared = [row.name for row in DENIED if row.name in known and getattr(row, field) is not None]
    assert {name: known[name] for name in compared} == {
        row.name: getattr(row, field) for row in DENIED if row.name in compared
    }
    assert len(compared) > 60
    absent = [row.name for row in DENIED if getattr(row, field) is None]
    assert [name for name in absent if name in known] == []
