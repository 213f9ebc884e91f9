"""Findings: what reading a source gave, themes and refusals, and the closed lists of reasons for both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from schemas.themes import Merge, Theme

RefusalReason = Literal[
    "unreadable",
    "too_large",
    "no_answer",
    "no_tools",
    "nothing_to_store",
    "no_entity",
]
"""Why a source gives no theme.

unreadable: no document of the kind, or a broken one; too_large: more than the bounds allow; no_answer: a live server
that could not be started, ended early, or did not answer in time; no_tools: it names no operations; nothing_to_store:
its operations only compute, render or steer something; no_entity: no kind of thing with three fields was recognised.
"""
REASONS: tuple[str, ...] = get_args(RefusalReason)


@dataclass(frozen=True)
class Refusal:
    """A source that gave no theme: its name and address, a reason of the closed list, and what was found instead."""

    name: str
    address: str
    reason: RefusalReason
    detail: str


@dataclass(frozen=True)
class Finding:
    """What a source, or several, gave: themes by name, refusals, merges, and what was left unread within bounds."""

    themes: list[Theme]
    refusals: list[Refusal] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def looked_at(self) -> int:
        """How many sources were read: each is a theme, was merged or refused."""
        return len(self.themes) + len(self.refusals) + len(self.merges)


def joined(findings: Iterable[Finding]) -> Finding:
    """Return what several sources gave as one finding, in their order."""
    every = list(findings)
    return Finding(
        themes=[theme for one in every for theme in one.themes],
        refusals=[refusal for one in every for refusal in one.refusals],
        merges=[merge for one in every for merge in one.merges],
        notes=[note for one in every for note in one.notes],
    )
