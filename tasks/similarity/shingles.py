"""Shingles of texts, how far two sets of them overlap, and an index of the sets that another may be nearly equal to.

The index (MinHash LSH of datasketch) gives candidates, so that the work grows with the number of sets and not with its
square; what decides is the exact overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from datasketch import MinHash, MinHashLSH

WORDS_TOGETHER = 3
CANDIDATES = 0.5
"""Estimated overlap from which on two sets are worth a comparison."""
_PERMUTATIONS = 64


def shingles(words: Sequence[str]) -> frozenset[str]:
    """Return each run of three words; all of them as one where there are fewer."""
    starts = range(max(1, len(words) - WORDS_TOGETHER + 1))
    return frozenset(" ".join(words[start : start + WORDS_TOGETHER]) for start in starts)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets; 0 for two empty ones."""
    return len(one & other) / len(one | other) if one | other else 0.0


class Index:
    """Sets by key, and which of them another set may be nearly equal to."""

    def __init__(self) -> None:
        """Start with none."""
        self._sets = MinHashLSH(threshold=CANDIDATES, num_perm=_PERMUTATIONS)

    def add(self, key: str, pieces: Iterable[str]) -> None:
        """Take a set in under a key of its own."""
        self._sets.insert(key, _sketch(pieces))

    def near(self, pieces: Iterable[str]) -> list[str]:
        """Return the keys of the sets that this one may be nearly equal to, sorted."""
        return sorted(map(str, self._sets.query(_sketch(pieces))))


def _sketch(pieces: Iterable[str]) -> MinHash:
    sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
    sketch.update_batch([piece.encode("utf-8", "replace") for piece in sorted(pieces)])
    return sketch
