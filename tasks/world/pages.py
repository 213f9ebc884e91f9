"""Which tables of two SQLite files can differ, told from their pages without reading a row.

A session's database starts as a copy of the seed's bytes, so a table whose pages are all equal
and in the same places is unchanged. Only interior pages are parsed, and only the seed's.
Source: sqlite.org/fileformat2.html, sections 1.2, 1.3, 1.6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from mmap import mmap

Bytes = bytes | mmap
HEADER_SIZE = 100
"""Bytes before the first page's own header."""
INTERIOR = {2: 12, 5: 12}
"""Kind of an interior page (index, table) → size of its header."""


def possibly_changed(seed: Bytes, final: Bytes, roots: Mapping[str, int]) -> set[str] | None:
    """Return the names of b-trees with a page that differs, or None: any may have changed.

    `roots`: every table and index of the seed → root page. The caller must know that the root is
    the same in `final`. None when the files are laid out differently, or when a page changed that
    is in no b-tree of the seed: it may be the overflow of a long row, whose owner is not looked up.
    """
    size = page_size(seed)
    if page_size(final) != size or len(final) < len(seed):
        return None
    changed = set(_changed_pages(seed, final, size))
    affected = set()
    for name, root in roots.items():
        pages = set(_walk(seed, root, size))
        if not pages.isdisjoint(changed):
            affected.add(name)
        changed -= pages
    return None if changed else affected


def page_size(data: Bytes) -> int:
    """Return the page size that a file's header states, 0 for a file too short to have one."""
    if len(data) < HEADER_SIZE:
        return 0
    stated: int = struct.unpack_from(">H", data, 16)[0]
    return 65536 if stated == 1 else stated


def _changed_pages(seed: Bytes, final: Bytes, size: int) -> Iterator[int]:
    """Yield the numbers, from 1, of the seed's pages that differ in `final`."""
    for number in range(1, len(seed) // size + 1):
        start = (number - 1) * size
        if seed[start : start + size] != final[start : start + size]:
            yield number


def _walk(data: Bytes, root: int, size: int) -> Iterator[int]:
    """Yield the pages of the b-tree at `root`, without the overflow of its rows."""
    rest = [root]
    while rest:
        number = rest.pop()
        yield number
        start = (number - 1) * size
        header = start + (HEADER_SIZE if number == 1 else 0)
        header_size = INTERIOR.get(data[header])
        if header_size is None:
            continue
        cells, rightmost = struct.unpack_from(">H", data, header + 3)[0], struct.unpack_from(">I", data, header + 8)[0]
        rest.append(rightmost)
        for (offset,) in struct.iter_unpack(">H", data[header + header_size : header + header_size + 2 * cells]):
            rest.append(struct.unpack_from(">I", data, start + offset)[0])
