from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.sandbox.frames import HEADER, FrameError, decode, encode, read_frame, write_frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    yield reader, writer
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            pass


@given(JSON)
def test_values_survive_encoding(value: object) -> None:
    assert decode(encode(value)) == value


def test_large_frames_pass_through_a_small_pipe(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    data = encode(["x" * 1000] * 1000)
    sender = threading.Thread(target=write_frame, args=(writer, data, monotonic() + 5))
    sender.start()
    assert read_frame(reader, monotonic() + 5, 2_000_000) == data
    sender.join()


@pytest.mark.parametrize(
    "data",
    [b"NaN", b"[Infinity]", b"1e999", b'"\\ud800"', b"\xff", b"{", b"[" * 100_000, b"9" * 5000],
    ids=["nan", "infinity", "overflow", "half a character", "not utf-8", "cut", "too deep", "huge integer"],
)
def test_decoding_refuses(data: bytes) -> None:
    with pytest.raises(FrameError):
        decode(data)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800", b"bytes"])
def test_encoding_refuses_what_is_not_json(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode(value)


def test_reading_stops_at_the_deadline(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, HEADER.pack(10) + b"half")
    start = monotonic()
    with pytest.raises(TimeoutError):
        read_frame(reader, start + 0.05, 100)
    assert monotonic() - start < 2


def test_writing_stops_at_the_deadline(pipe: tuple[int, int]) -> None:
    with pytest.raises(TimeoutError):
        write_frame(pipe[1], b"x" * 1_000_000, monotonic() + 0.05)


def test_a_length_beyond_the_cap_is_refused_before_reading(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], HEADER.pack(0xFFFFFFFF))
    with pytest.raises(FrameError, match="4294967295 bytes"):
        read_frame(pipe[0], monotonic() + 1, 1000)


def test_bytes_after_the_frame_are_refused(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], HEADER.pack(2) + b"{}" + b"more")
    with pytest.raises(FrameError, match="after"):
        read_frame(pipe[0], monotonic() + 1, 1000)


def test_a_closed_pipe_is_the_end(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    with pytest.raises(EOFError):
        read_frame(pipe[0], monotonic() + 1, 1000)
