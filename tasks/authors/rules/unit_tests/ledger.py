"""The ledger of an operational overlay: who holds how much of which capacity, counted without the tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from schemas.tools import ToolCall
from tasks.authors.rules.overlays.casework import Casework
from tasks.authors.rules.overlays.names import TableNames
from tasks.authors.rules.overlays.review_requests import REVIEW_REQUESTS
from tasks.authors.rules.overlays.service_tickets import SERVICE_TICKETS
from tasks.authors.rules.unit_tests.subject import Subject

Row = dict[str, Any]


@dataclass(frozen=True)
class CapacityRule:
    """What one archetype promises: the amounts of a holder's live rows never exceed its capacity.

    `amount` is the column that counts (None: each row counts one). `holder` is the column that names
    the holder (None: named like the holders' key). `fill` is the tool that uses capacity up,
    `release` the one that gives a row's back. `figures` names
    what the holder's view computes: used, and left. `inherited` columns of a new row are its holder's.
    `waiting` is the status in which a row has no holder yet.
    """

    table: str
    holders: str
    holder: str | None
    capacity: Callable[[Row], int]
    amount: str | None
    alive: tuple[str, ...]
    code: str
    fill: str
    release: str
    figures: tuple[str, str]
    inherited: tuple[str, ...] = ()
    waiting: str | None = None


def _casework_rule(casework: Casework) -> CapacityRule:
    """Return the rule of casework: a worker's assigned cases never exceed its limit."""
    return CapacityRule(
        table=casework.cases.table,
        holders=casework.workers.table,
        holder=casework.workers.key,
        capacity=lambda row: row[casework.workers.limit],
        amount=None,
        alive=(casework.cases.assigned,),
        code=casework.full,
        fill=casework.texts["assign"].name,
        release=casework.texts["resolve"].name,
        figures=casework.workers.figures,
        waiting=casework.cases.waiting,
    )


RULES = {
    "bookings": CapacityRule(
        table="bookings",
        holders="seat_inventory",
        holder=None,
        capacity=lambda row: row["capacity"],
        amount="seats",
        alive=("held", "confirmed"),
        code="not_enough_seats",
        fill="create_booking",
        release="cancel_booking",
        figures=("booked", "available"),
    ),
    "purchase_orders": CapacityRule(
        table="purchase_orders",
        holders="stock_levels",
        holder=None,
        capacity=lambda row: row["shelf_capacity"] - row["on_hand"],
        amount="quantity",
        alive=("draft", "approved"),
        code="exceeds_capacity",
        fill="create_purchase_order",
        release="cancel_purchase_order",
        figures=("on_order", "free_space"),
        inherited=("unit_cost",),
    ),
    SERVICE_TICKETS.archetype: _casework_rule(SERVICE_TICKETS),
    REVIEW_REQUESTS.archetype: _casework_rule(REVIEW_REQUESTS),
}
"""By archetype."""


def rule_of(archetype: str, names: TableNames) -> CapacityRule:
    """Return an archetype's rule, over its tables as they are called in a world."""
    rule = RULES[archetype]
    return replace(rule, table=names(rule.table), holders=names(rule.holders))


WORDING = {
    "party": ("Rosa Delgado", "Kenji Moreau", "Amara Lindqvist"),
    "subject": ("Leaking pipe at gate B", "Loose handrail at the east stairs"),
}
"""Texts for free-text arguments."""


@dataclass(frozen=True)
class Ledger:
    """The seeded rows of an archetype's writable table, and what they leave of each holder's capacity."""

    subject: Subject
    rule: CapacityRule

    @cached_property
    def key(self) -> str:
        """Key column of the writable table."""
        return self.subject.environment.profile.table(self.rule.table).key

    @cached_property
    def holder(self) -> str:
        """Column of the writable table that names the holder."""
        return self.rule.holder or self.subject.environment.profile.table(self.rule.holders).key

    @cached_property
    def rows(self) -> list[Row]:
        """Rows of the writable table by key."""
        return self.subject.oracle.frames[self.rule.table].sort(self.key).to_dicts()

    @cached_property
    def holders(self) -> dict[Any, Row]:
        """Holder key → its row."""
        key = self.subject.environment.profile.table(self.rule.holders).key
        return {row[key]: row for row in self.subject.oracle.frames[self.rule.holders].sort(key).to_dicts()}

    @cached_property
    def held(self) -> dict[Any, list[Row]]:
        """Holder key → its rows, in any status."""
        held: dict[Any, list[Row]] = defaultdict(list)
        for row in self.rows:
            held[row[self.holder]].append(row)
        return held

    @property
    def next_key(self) -> int:
        """The key that the next created row gets."""
        return max((row[self.key] for row in self.rows), default=0) + 1

    def amount(self, row: Row) -> int:
        """Return how much of a holder's capacity a live row uses."""
        return row[self.rule.amount] if self.rule.amount else 1

    def used(self, holder: Any) -> int:
        """Return what the live rows of a holder use."""
        return sum(self.amount(row) for row in self.held.get(holder, ()) if row["status"] in self.rule.alive)

    def free(self, holder: Any) -> int:
        """Return what is left of a holder's capacity."""
        return self.rule.capacity(self.holders[holder]) - self.used(holder)

    def variety(self, holder: Any, without: int | None = None) -> int:
        """Rate how many different statuses a holder's rows have, live ones first, leaving one row out.

        With a high variety, a rule that counts a wrong status gives another figure.
        """
        statuses = {row["status"] for row in self.held.get(holder, ()) if row[self.key] != without}
        return len(statuses) + 10 * len(statuses & set(self.rule.alive))

    def telling(self, least: int = 1, without: Iterable[Any] = ()) -> Any:
        """Draw a holder with at least `least` left, of the highest variety; None when there is none."""
        left_out = set(without)
        fitting = {h: self.variety(h) for h in self.holders if h not in left_out and self.free(h) >= least}
        highest = max(fitting.values(), default=0)
        best = [holder for holder, variety in fitting.items() if variety == highest]
        return self.subject.rng.choice(best) if best else None

    def telling_row(self, status: str) -> Row | None:
        """Draw a row in `status` whose holder has something left and other rows of the highest variety."""
        rows = [row for row in self.rows if row["status"] == status and self.free(row[self.holder]) > 0]
        varieties = [self.variety(row[self.holder], row[self.key]) for row in rows]
        best = [row for row, variety in zip(rows, varieties, strict=True) if variety == max(varieties)]
        return self.subject.rng.choice(best) if best else None

    def row_in(self, statuses: Iterable[str], accept: Callable[[Row], bool] = lambda row: True) -> Row | None:
        """Draw a row in one of `statuses` that `accept` takes; None when there is none."""
        wanted = set(statuses)
        rows = [row for row in self.rows if row["status"] in wanted and accept(row)]
        return self.subject.rng.choice(rows) if rows else None

    def filling(self, holder: Any, amount: int, without: Iterable[int] = ()) -> list[ToolCall]:
        """Return calls that use up `amount` of a holder's capacity, sparing the rows with the keys `without`."""
        if amount < 1:
            return []
        if self.rule.amount:
            return [ToolCall(tool=self.rule.fill, arguments=self.creation(holder, amount))]
        spared = set(without)
        idle = [
            row[self.key] for row in self.rows if row["status"] == self.rule.waiting and row[self.key] not in spared
        ]
        return [ToolCall(tool=self.rule.fill, arguments={self.key: k, self.holder: holder}) for k in idle[:amount]]

    def creation(self, host: Any, amount: int) -> dict[str, Any]:
        """Return the arguments of a creation where capacity counts amounts."""
        party = {"party": self.subject.rng.choice(WORDING["party"])} if self.rule.fill == "create_booking" else {}
        return {self.holder: host, **party, str(self.rule.amount): amount}
