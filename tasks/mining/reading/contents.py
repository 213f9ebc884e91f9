"""Contents: the bytes of a file or of an archive's member, opened as often as needed, never longer than agreed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from tasks.mining.reading.raw import ReadingLimits, refusal

_BOMB_RATIO = 100
"""Text packs 3 to 20 times; what unpacks beyond the limit at more than this is no data."""
_COMPRESSED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}


@dataclass(frozen=True)
class Content:
    """One stream of bytes: `name` tells its format, `path` is the file a message speaks of.

    `file` is the path when the bytes lie there as they are, for readers that need a file.
    """

    path: Path
    name: str
    open: Callable[[], BinaryIO]
    file: Path | None = None

    @property
    def suffix(self) -> str:
        """The name's last suffix in lower case: '.csv'."""
        return Path(self.name).suffix.lower()

    def head(self, size: int) -> bytes:
        """Return the first bytes."""
        with closing(self.open()) as stream:
            return stream.read(size)

    def seekable(self, most: int) -> BinaryIO:
        """Return a stream that can be read from any place: unpacked bytes, at most `most`, are held in memory."""
        return self.open() if self.file else io.BytesIO(self.whole(most, "Unpack it, then run again"))

    def whole(self, most: int, advice: str) -> bytes:
        """Return all bytes; refused as too_large when there are more than `most`."""
        with closing(self.open()) as stream:
            content = stream.read(most + 1)
        if len(content) > most:
            raise refusal("too_large", self.path, f"{self.name} is larger than {most // 1_000_000} MB", advice)
        return content


class _Unpacked(io.RawIOBase):
    """An unpacking stream that stops where the agreed number of bytes is reached."""

    def __init__(self, stream: IO[bytes], packed: int, path: Path, limits: ReadingLimits) -> None:
        self._stream, self._packed, self._path, self._limits = stream, packed, path, limits
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read(len(buffer))
        self._given += len(chunk)
        if self._given > self._limits.unpacked_bytes:
            raise _oversized(self._path, self._given, self._packed, self._limits)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _oversized(path: Path, size: int, packed: int, limits: ReadingLimits) -> Exception:
    most = limits.unpacked_bytes // 1_000_000
    if size > packed * _BOMB_RATIO:
        return refusal("zip_bomb", path, f"it unpacks to more than {most} MB", "Leave it out, or bring the data itself")
    return refusal("too_large", path, f"it unpacks to more than {most} MB", "Split it into smaller files")


def open_file(path: Path, limits: ReadingLimits) -> Content:
    """Return a file's content, unpacked when it is a gz, bz2 or xz; no_file, no_permission or empty when there is none."""
    try:
        if not path.is_file():
            raise refusal("no_file", path, "there is no such file", "Check the path")
        with path.open("rb") as stream:
            start = stream.read(8)
        size = path.stat().st_size
    except PermissionError as error:
        raise refusal("no_permission", path, "you may not read it", f"Allow it: chmod u+r '{path}'") from error
    except OSError as error:
        raise refusal("no_file", path, f"{error.strerror or error}", "Check the path") from error
    if not start:
        raise refusal("empty", path, "it is empty", "Leave it out, or fetch it again")
    packing = next((suffix for magic, suffix in _MAGIC.items() if start.startswith(magic)), None)
    if packing is None:
        if path.suffix.lower() in _COMPRESSED:
            raise refusal("damaged", path, f"it is no {path.suffix.lower()} file", "Check that the file is whole")
        return Content(path, path.name, lambda: path.open("rb"), path)
    unpack = _COMPRESSED[packing]
    name = path.stem if path.suffix.lower() == packing else path.name

    def opened() -> BinaryIO:
        return io.BufferedReader(_Unpacked(unpack(path, "rb"), size, path, limits), 1 << 20)

    return Content(path, name, opened)


def member_contents(content: Content, limits: ReadingLimits) -> dict[str, Content]:
    """Return the files inside a zip by name, sorted; zip_bomb or encrypted when one declares to be so."""
    with closing(content.seekable(limits.document_bytes)) as stream, zipfile.ZipFile(stream) as archive:
        entries = sorted(
            (e for e in archive.infolist() if e.filename and not e.is_dir()), key=lambda entry: entry.filename
        )
    for entry in entries:
        if entry.flag_bits & 1:
            raise refusal("encrypted", content.path, "it is locked by a password", "Unpack it, then run again")
    declared, packed = sum(e.file_size for e in entries), sum(e.compress_size for e in entries)
    if declared > limits.unpacked_bytes:
        raise _oversized(content.path, declared, packed, limits)
    return {entry.filename: _member(content, entry, limits) for entry in entries}


def _member(content: Content, entry: zipfile.ZipInfo, limits: ReadingLimits) -> Content:
    def opened() -> BinaryIO:
        archive = zipfile.ZipFile(content.seekable(limits.document_bytes))
        stream = archive.open(entry.filename)
        return io.BufferedReader(_Unpacked(stream, entry.compress_size, content.path, limits), 1 << 20)

    return Content(content.path, entry.filename, opened)
