"""The taxonomy's names, and the words by which they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SecondLevel:
    """A second-level name under its first-level one, and the words that themes of it use."""

    level1: str
    name: str
    words: str

    @property
    def text(self) -> str:
        """What a classifier reads of it."""
        return f"{self.level1} {self.name} {self.name} {self.words}"


@dataclass(frozen=True)
class Taxonomy:
    """All second-level names, in their order."""

    second_levels: tuple[SecondLevel, ...]

    @property
    def first_levels(self) -> list[str]:
        """The first-level names in their order, each once."""
        return list(dict.fromkeys(second.level1 for second in self.second_levels))

    def under(self, level1: str) -> list[SecondLevel]:
        """Return the second-level names under a first-level one."""
        return [second for second in self.second_levels if second.level1 == level1]


@dataclass(frozen=True)
class Example:
    """A text whose first level is known: from a person's correction, or from a labelled corpus."""

    text: str
    level1: str


def read_taxonomy(rows: Sequence[tuple[str, str, str]]) -> Taxonomy:
    """Return the taxonomy of (first level, second level, words) rows."""
    return Taxonomy(tuple(SecondLevel(*row) for row in rows))
