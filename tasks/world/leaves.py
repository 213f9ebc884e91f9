"""Which rows of a changed SQLite file can differ from the seed's, told from the cells of the pages that changed.

The seed is read once. A later state is laid over it page by page, and only what is not the same bytes is parsed: a
row on a page that both trees of a table hold, byte for byte, is the same row. What is left are the rows of the other
leaf pages, and of those only the ones whose cells differ.
Source: sqlite.org/fileformat2.html, sections 1.3, 1.5 and 1.6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from io import FileIO
from pathlib import Path

from .pages import HEADER_SIZE, INTERIOR, page_size

CHUNK = 1 << 18
"""Bytes compared at once: a multiple of every page size."""
TABLE_INTERIOR, TABLE_LEAF = 5, 13
LEAF_HEADER = 8
COUNTERS = (slice(24, 40), slice(92, 100))
"""Bytes of the file's header that writes move without another meaning: counters, length, free pages, the writer's version."""

Pages = Mapping[int, bytes]
"""Number from 1 → content."""
UNCHANGED: Pages = {}


class Unlike(Exception):
    """The file is laid out in another way than the seed: only a full comparison can tell what changed."""


class Leaves:
    """The seed's trees: which tree a page is in, and where its children are."""

    def __init__(self, data: bytes, roots: Mapping[str, int]) -> None:
        """Walk the trees of `data`; `roots`: name of a table or index → its first page, the schema's own among them."""
        self.roots = dict(roots)
        self._size = page_size(data)
        self._usable = self._size - data[20]
        self._data, self._count = data, len(data) // self._size
        self._chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
        self._children: dict[int, list[int]] = {}
        self._read: dict[int, dict[int, bytes]] = {}
        self._members = {name: frozenset(self._walk(root)) for name, root in self.roots.items()}
        self._owners = {number: name for name, numbers in self._members.items() for number in numbers}

    def changed_pages(self, final: Path) -> dict[int, bytes]:
        """Return the pages of `final` that are not the seed's, new ones among them."""
        changed: dict[int, bytes] = {}
        length = 0
        with FileIO(str(final)) as file:
            for place, known in enumerate(self._chunks):
                found = file.read(len(known))
                length += len(found)
                if found != known:
                    changed |= self._differing(place, known, found)
            while found := file.read(self._size):
                length += len(found)
                changed[length // self._size] = found
        if length % self._size or length < len(self._data):
            raise Unlike("another length")
        return changed

    def affected(self, changed: Pages) -> set[str]:
        """Return the trees that have a changed page; Unlike when one is in no tree (a long row's overflow may be)."""
        if not _same_header(self._page(1), changed.get(1, self._page(1))):
            raise Unlike("another header")
        found = {self._owners.get(number) for number in changed if 1 < number <= self._count}
        if None in found:
            raise Unlike("a page of no tree")
        return {name for name in found if name is not None}

    def rowids(self, table: str, changed: Pages) -> set[int]:
        """Return the rowids of a table whose rows can differ; Unlike for a table that is kept in another kind of tree."""
        reached = frozenset(self._walk(self.roots[table], changed))
        same = (self._members[table] & reached) - changed.keys()
        before = self._rows(self._members[table] - same, {})
        after = self._rows(reached - same, changed)
        return {rowid for rowid in before.keys() | after.keys() if before.get(rowid) != after.get(rowid)}

    def _page(self, number: int) -> bytes:
        return self._data[(number - 1) * self._size : number * self._size]

    def _differing(self, place: int, known: bytes, found: bytes) -> Iterator[tuple[int, bytes]]:
        first = place * (CHUNK // self._size) + 1
        for start in range(0, len(found), self._size):
            page = found[start : start + self._size]
            if page != known[start : start + self._size]:
                yield first + start // self._size, page

    def _walk(self, root: int, changed: Pages = UNCHANGED) -> Iterator[int]:
        """Yield the pages of a tree; Unlike when there are more than the file can have."""
        rest, seen = [root], 0
        while rest:
            number = rest.pop()
            yield number
            seen += 1
            if seen > self._count + len(changed):
                raise Unlike("a tree without end")
            if number in changed:
                rest += _children(changed[number], number)
                continue
            known = self._children.get(number)
            if known is None:
                known = self._children[number] = _children(self._page(number), number)
            rest += known

    def _rows(self, numbers: Iterable[int], changed: Pages) -> dict[int, bytes]:
        """Return rowid → cell of some pages of a table."""
        rows: dict[int, bytes] = {}
        for number in numbers:
            if number in changed:
                rows |= self._cells(changed[number])
                continue
            known = self._read.get(number)
            if known is None:
                known = self._read[number] = self._cells(self._page(number))
            rows |= known
        return rows

    def _cells(self, page: bytes) -> dict[int, bytes]:
        """Return rowid → cell of a page; none of an interior one, whose rows are all on leaves."""
        if page[0] == TABLE_INTERIOR:
            return {}
        if page[0] != TABLE_LEAF:
            raise Unlike("not the tree of a table with rowids")
        count = struct.unpack_from(">H", page, 3)[0]
        cells = {}
        for (start,) in struct.iter_unpack(">H", page[LEAF_HEADER : LEAF_HEADER + 2 * count]):
            size, after_size = _varint(page, start)
            rowid, content = _varint(page, after_size)
            cells[rowid - (1 << 64) if rowid >> 63 else rowid] = page[start : content + self._held(size)]
        return cells

    def _held(self, size: int) -> int:
        """Return how many bytes of a row of `size` bytes are in its cell, the number of its overflow page among them."""
        most = self._usable - 35
        if size <= most:
            return size
        least = (self._usable - 12) * 32 // 255 - 23
        held = least + (size - least) % (self._usable - 4)
        return (held if held <= most else least) + 4


def _same_header(seed: bytes, final: bytes) -> bool:
    """Return whether two first pages state one format and hold one schema."""
    one, other = bytearray(seed), bytearray(final)
    for part in COUNTERS:
        one[part] = other[part] = bytes(part.stop - part.start)
    return one == other


def _children(page: bytes, number: int) -> list[int]:
    """Return the pages below an interior page; [] for a leaf."""
    header = HEADER_SIZE if number == 1 else 0
    size = INTERIOR.get(page[header])
    if size is None:
        return []
    cells, rightmost = struct.unpack_from(">H", page, header + 3)[0], struct.unpack_from(">I", page, header + 8)[0]
    places = struct.iter_unpack(">H", page[header + size : header + size + 2 * cells])
    return [rightmost, *(struct.unpack_from(">I", page, place)[0] for (place,) in places)]


def _varint(page: bytes, place: int) -> tuple[int, int]:
    """Return the number written at `place`, and where it ends."""
    value = 0
    for at in range(place, place + 8):
        value = value << 7 | page[at] & 127
        if page[at] < 128:
            return value, at + 1
    return value << 8 | page[place + 8], place + 9
