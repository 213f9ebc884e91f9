"""Frames: length-prefixed JSON over pipes, with deadlines and a cap.

A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON. The host reads what an
untrusted process wrote, so decoding admits only finite numbers and well-formed text, and a
frame that is too long, too deep or followed by more bytes is an error, never a fault of the host.
"""

from __future__ import annotations

import json
import math
import os
import select
import struct
from time import monotonic  # bound here: a worker's `time.monotonic` is frozen later
from typing import Any

HEADER = struct.Struct(">I")
CHUNK = 1 << 16


class FrameError(ValueError):
    """Bytes that are not a frame."""


def encode(value: Any) -> bytes:
    """Return `value` as strict JSON; TypeError, ValueError or RecursionError when it isn't any."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()


def decode(data: bytes) -> Any:
    """Return the value of untrusted JSON bytes. FrameError for anything but strict, well-formed JSON."""
    try:
        value = json.loads(data, parse_constant=_refuse_constant, parse_float=_finite)
        if b"\\u" in data:  # an escape can spell half a character, which no later step could encode
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise FrameError(f"not strict JSON: {type(error).__name__}: {str(error)[:200]}") from error
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("number out of range")
    return number


def write_frame(fd: int, data: bytes, deadline: float | None) -> None:
    """Write one frame; `deadline` (monotonic seconds) needs a non-blocking `fd`, None waits for ever.

    TimeoutError past the deadline; OSError when the reader is gone.
    """
    rest = memoryview(HEADER.pack(len(data)) + data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:  # no room, or less than an atomic write needs
            if deadline is None:
                raise
            _wait(fd, select.POLLOUT, deadline)


def read_frame(fd: int, deadline: float | None, cap: int) -> bytes:
    """Read one frame of at most `cap` bytes; deadline as for `write_frame`.

    EOFError when the writer is gone, TimeoutError past the deadline, FrameError beyond the cap or
    when more bytes follow (one side speaks at a time, so they are forged).
    """
    data = bytearray()
    needed = HEADER.size
    while len(data) < needed:
        if deadline is not None:
            _wait(fd, select.POLLIN, deadline)
        chunk = os.read(fd, CHUNK)
        if not chunk:
            raise EOFError("the other side is gone")
        data += chunk
        if needed == HEADER.size and len(data) >= needed:
            length = HEADER.unpack_from(data)[0]
            if length > cap:
                raise FrameError(f"a frame of {length} bytes, {cap} are allowed")
            needed += length
    if len(data) > needed:
        raise FrameError("bytes after the frame")
    return bytes(data[HEADER.size :])


def _wait(fd: int, event: int, deadline: float) -> None:
    poll = select.poll()  # not select(): it fails on descriptors from 1024 on
    poll.register(fd, event)
    remaining = deadline - monotonic()
    if remaining <= 0 or not poll.poll(math.ceil(remaining * 1000)):
        raise TimeoutError("no answer in time")
