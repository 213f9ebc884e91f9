"""Lifecycles: the transitions between the statuses that a theme's source lists, and what they are called."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.themes import SourceOperation
from tasks.mining.entities.statuses import BAD_ENDS, ends_of
from tasks.themes.intents import snake

VERBS = {
    "open": "open", "closed": "close", "completed": "complete", "complete": "complete", "done": "finish",
    "resolved": "resolve", "archived": "archive", "cancelled": "cancel", "canceled": "cancel", "merged": "merge",
    "published": "publish", "approved": "approve", "rejected": "reject", "paid": "settle", "shipped": "ship",
    "delivered": "deliver", "paused": "pause", "active": "activate", "suspended": "suspend", "confirmed": "confirm",
    "sent": "send", "accepted": "accept", "declined": "decline", "started": "start", "in_progress": "start",
    "running": "start", "stopped": "stop", "finished": "finish", "failed": "fail", "expired": "expire",
    "withdrawn": "withdraw", "deprecated": "deprecate", "discontinued": "discontinue", "inactive": "deactivate",
    "disabled": "disable", "enabled": "enable", "deleted": "discard", "refunded": "refund", "returned": "return",
    "scheduled": "schedule", "answered": "answer", "invited": "invite", "in_review": "submit", "planned": "plan",
    "draft": "redraft", "sold_out": "sell_out", "pending": "hold", "won": "win", "lost": "lose",
}  # fmt: skip
"""Status → the verb that leads to it."""

_BACK = ("reopen", "restore", "unarchive", "reactivate", "resume", "activate", "enable", "unpause")
_CHAIN = 4
"""Statuses from which on a life has steps, one after the other."""


@dataclass(frozen=True)
class Move:
    """One transition: the verb, the statuses that it starts from, and where it leads."""

    verb: str
    source: tuple[str, ...]
    to: str
    name: str | None = None

    def called(self, noun: str) -> str:
        """Return the action's name: the source's, or the verb and the noun."""
        return self.name or f"{self.verb}_{noun}"

    def marking(self) -> Move:
        """Return the transition under a plain verb, where its own is taken: sending an email may create one."""
        return Move(f"mark_{snake(self.to)}", self.source, self.to)


def open_statuses(statuses: Sequence[str]) -> list[str]:
    """Return the statuses in which something can still be done to a row; all where none is an end."""
    ends = ends_of(statuses)
    return [status for status in statuses if status not in ends]


def moves(statuses: Sequence[str], named: Sequence[SourceOperation], most: int) -> list[Move]:
    """Return at most `most` transitions: those that the source names first, then the usual ones."""
    wanted = [move for operation in named if (move := _named(operation, statuses)) is not None]
    found: dict[tuple[str, tuple[str, ...]], Move] = {}
    for move in [*wanted, *_usual(statuses)]:
        if all(move.to != other.to or not set(move.source) & set(other.source) for other in found.values()):
            found.setdefault((move.to, move.source), move)
    kept: dict[str, Move] = {}
    for move in found.values():
        kept.setdefault(move.verb, move)
    return list(kept.values())[:most]


def _usual(statuses: Sequence[str]) -> list[Move]:
    """Return the steps of a life in the order of its statuses, its ends, and the way back."""
    alive = open_statuses(statuses)
    ends = [status for status in statuses if status not in alive]
    chain = [status for status in statuses if snake(status) not in BAD_ENDS]
    found: list[Move] = []
    if len(chain) >= _CHAIN - 1:
        steps = itertools.pairwise(chain)
        found += [Move(_verb(to), (before,), to) for before, to in steps]
        ends = [status for status in ends if snake(status) in BAD_ENDS]
    found += [Move(_verb(end), tuple(alive), end) for end in ends]
    last = next((status for status in reversed(statuses) if status not in alive), None)
    if last is not None:
        back = "restore" if last.lower() in ("archived", "deleted", "withdrawn") else "reopen"
        found.append(Move(back, (last,), alive[0]))
    return found


def _verb(status: str) -> str:
    plain = snake(status)
    return VERBS.get(plain, f"mark_{plain}")


def _named(operation: SourceOperation, statuses: Sequence[str]) -> Move | None:
    """Return the transition that an operation of the source is; None when no status is its end."""
    name = snake(operation.name)
    parts = name.split("_")
    alive = open_statuses(statuses)
    if any(back in parts for back in _BACK):
        ended = tuple(status for status in statuses if status != alive[0])
        return Move(next(back for back in _BACK if back in parts), ended, alive[0], name) if ended else None
    for status in statuses:
        verb = _verb(status)
        if verb in parts or snake(status) in parts or any(re.fullmatch(rf"{verb}(ed|d|ing)?", part) for part in parts):
            source = tuple(other for other in alive if other != status) or tuple(s for s in statuses if s != status)
            return Move(verb, source, status, name) if source else None
    return None
