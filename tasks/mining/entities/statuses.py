"""Statuses: which of those that a thing can have are ends, after which nothing is expected to happen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

GOOD_ENDS = frozenset(
    "closed done completed complete resolved finished delivered merged ended fixed answered returned won".split()
)
BAD_ENDS = frozenset(
    """cancelled canceled rejected declined failed withdrawn expired suspended deleted archived discontinued deprecated
    refunded lost inactive stopped sold_out disabled removed blocked""".split()
)
PERHAPS_ENDS = frozenset("paid shipped sent published approved accepted released deployed".split())
"""Ends, unless a good end comes after them: what is paid may still be delivered."""


def ends_of(statuses: Sequence[str]) -> list[str]:
    """Return the statuses that are ends, in their order, which is taken for that of a life; never the first one."""
    plain = [_plain(status) for status in statuses]
    found = []
    for place, (status, word) in enumerate(zip(statuses, plain, strict=True)):
        later = GOOD_ENDS & set(plain[place + 1 :])
        if place and (word in GOOD_ENDS | BAD_ENDS or (word in PERHAPS_ENDS and not later)):
            found.append(status)
    return found


def is_end(status: str, statuses: Collection[str]) -> bool:
    """Tell whether a status is an end among those that there are; by itself where it is none of them."""
    if status in statuses:
        return status in ends_of(list(statuses))
    return _plain(status) in GOOD_ENDS | BAD_ENDS | PERHAPS_ENDS


def _plain(status: str) -> str:
    return status.strip().lower().replace(" ", "_").replace("-", "_")
