"""Evidence: whether the cells of a row that a model wrote stand together on a page that it cites, and where.

A page's evidence is in passages: the rows that extraction found on it, and overlapping stretches of its visible text.
All cells of a row must be in one passage, as whole words or numbers; case, blanks, and how thousands are marked do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tasks.mining.research.extraction.found import Cells
from tasks.mining.research.gathering import Gatherer

WINDOW, STRIDE = 40, 20
"""Words of a stretch of text, and how far the next one begins behind it."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
"""A word; where words are written without blanks, a character."""
_LETTER = rf"[^\W{_CJK}]"
_THOUSANDS = re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
_WHOLE = re.compile(r"(?<=\d)\.0+(?!\d)")


@dataclass(frozen=True)
class Passage:
    """A part of a page, as it is compared: `text` is normalised."""

    address: str
    place: str
    text: str


class Evidence:
    """What pages say, found by words."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = list(passages)
        self._holding: dict[str, set[int]] = defaultdict(set)
        for number, passage in enumerate(self._passages):
            for word in _WORD.findall(passage.text):
                self._holding[word].add(number)

    def place_of(self, row: Cells) -> tuple[str, str] | None:
        """Return address and place of the first passage that holds all cells of a row; None where none does, or it is empty."""
        cells = [cell for value in row if value and (cell := normal(value))]
        words = {word for cell in cells for word in _WORD.findall(cell)}
        if not words:
            return None
        held = sorted((self._holding.get(word, set()) for word in words), key=len)
        for number in sorted(set.intersection(*held)):
            passage = self._passages[number]
            if all(_stands_in(cell, passage.text) for cell in cells):
                return passage.address, passage.place
        return None


def evidence_of(gatherer: Gatherer, addresses: Iterable[str]) -> Evidence:
    """Return what the pages at these addresses say: their rows first, in order, then their texts."""
    cited = list(dict.fromkeys(addresses))
    rows = [passage for address in cited for passage in _rows(gatherer, address)]
    return Evidence([*rows, *(passage for address in cited for passage in _stretches(gatherer, address))])


def normal(text: str) -> str:
    """Return a text as it is compared: NFKC, in lower case, blanks joined, '1,234.0' as '1234'."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _WHOLE.sub("", _THOUSANDS.sub("", plain))


def _rows(gatherer: Gatherer, address: str) -> Iterator[Passage]:
    for placed in gatherer.found:
        if placed.address == address:
            for cells, place in zip(placed.table.rows, placed.table.places, strict=True):
                yield Passage(address, place, " | ".join(normal(cell) for cell in cells if cell))


def _stretches(gatherer: Gatherer, address: str) -> Iterator[Passage]:
    seen = gatherer.seen(address)
    text = normal(seen.text) if seen is not None and seen.refusal is None else ""
    spans = [match.span() for match in _WORD.finditer(text)]
    for first in range(0, max(1, len(spans) - STRIDE), STRIDE):
        part = spans[first : first + WINDOW]
        if part:
            yield Passage(address, f"text, words {first + 1}-{first + len(part)}", text[part[0][0] : part[-1][1]])


def _stands_in(cell: str, text: str) -> bool:
    """Return whether a text has a cell as whole words: '12' is neither in '2012' nor in '12.5'."""
    before = rf"(?<!{_LETTER})(?<!\d[.])" if re.match(_LETTER, cell) else ""
    after = rf"(?!{_LETTER})(?![.]\d)" if re.match(_LETTER, cell[-1]) else ""
    return re.search(f"{before}{re.escape(cell)}{after}", text) is not None
