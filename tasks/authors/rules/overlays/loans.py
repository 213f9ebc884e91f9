"""Loans of things that are lent: holdings with copies, borrowers with a limit, loans with a due date.

out → returned, or out → lost → paid for. A borrower has at most one copy of a thing and no more things than the
limit; a loan is renewed once, and not when it is overdue. Who lost something is suspended until it is paid for.
"""

from __future__ import annotations

from random import Random

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Guard, Tally, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    cell,
    create,
    find,
    fixed,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    plus,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import day_after
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("out", "returned", "lost", "paid for")
STANDINGS = ("active", "suspended")
BORROWERS = 150
SEEDED_LOANS = 320
LOAN_DAYS = 21
FITS = {"work": 0.85, "equipment": 0.75}
OWN_NAMES = {
    *("borrower", "borrower_id", "borrower_name", "loan_limit", "status", "holding", "copies", "loan", "loan_id"),
    *("due_on", "renewals", "lent_at", "withdrawn"),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return holdings of `host`, borrowers and loans, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"loans:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    popular = Popularity(rng, profile, frames, host)
    holdings = [{key: value, "copies": rng.choices((1, 2, 3, 4), (40, 30, 20, 10))[0]} for value in popular.listed]
    names = person_names(rng, BORROWERS)
    borrowers = [{"borrower_name": name, "loan_limit": rng.choice((2, 3, 4, 6)), "status": "active"} for name in names]
    borrowers = clauses.numbered("borrower_id", borrowers)
    loans = _loans(rng, key, holdings, borrowers, popular, start)
    parts = _parts(table, key, holdings, borrowers, loans)
    holding, borrower, loan = (each.table for each in parts)
    actions = (
        _lend(table.singular, holding, key, borrower, loan),
        _renew(loan),
        *_loan_actions(key, loan),
        *_borrower_actions(borrower),
        _change_limit(borrower),
        _withdraw(table, key, holding),
    )
    return overlay_of("loans", table, key, parts, (_holding_view(table, key), _borrower_view()), actions)


def _loans(
    rng: Random, key: str, holdings: list[Row], borrowers: list[Row], popular: Popularity, start: str
) -> list[Row]:
    """Simulate loans, the recent ones out and a few overdue; some borrowers and shelves are at their limit."""
    free = {row["borrower_id"]: row["loan_limit"] for row in borrowers}
    copies = {row[key]: row["copies"] for row in holdings}
    held: set[tuple[int, object]] = set()
    rows: list[Row] = []
    moments = moments_before(start, 120, [rng.random() for _ in range(SEEDED_LOANS)])
    for number, lent_at in enumerate(moments, 1):
        recent = number > SEEDED_LOANS - 170
        status = rng.choices(STATUSES, (85, 11, 4, 0) if recent else (0, 88, 6, 6))[0]
        borrower, value = rng.randint(1, BORROWERS if number % 3 else 40), popular.draw(rng)
        if status == "out" and not (free[borrower] and copies[value] and (borrower, value) not in held):
            status = "returned"
        if status == "out":
            free[borrower] -= 1
            copies[value] -= 1
            held.add((borrower, value))
        if status == "lost":
            borrowers[borrower - 1]["status"] = "suspended"
        renewals = int(rng.random() < 0.4)
        due_on = day_after(start, rng.choice((-9, -4, -2, 0, 2, 5, 8, 11, 14, 18, 20))) if recent else None
        rows.append(
            {
                "borrower_id": borrower,
                key: value,
                "status": status,
                "due_on": due_on or day_after(lent_at, LOAN_DAYS * (1 + renewals)),
                "renewals": renewals,
                "lent_at": lent_at,
            }
        )
    for borrower in rng.sample(borrowers, 8):
        borrower["status"] = "suspended"
    return clauses.numbered("loan_id", rows)


def _parts(host: TableProfile, key: str, holdings: list[Row], borrowers: list[Row], loans: list[Row]) -> list[Part]:
    held = [host_column(host, "key", key), clauses.count("copies", "copies owned", "copies")]
    named = [
        clauses.key("borrower_id", "borrower number"),
        clauses.label("borrower_name", "borrower name"),
        clauses.count("loan_limit", "loan limit", "loans"),
        clauses.category("status", "standing", STANDINGS),
    ]
    lent = [
        clauses.key("loan_id", "loan number"),
        clauses.refers("borrower_id", "borrower number"),
        host_column(host, "reference", key),
        clauses.category("status", "loan status", STATUSES),
        clauses.day("due_on", "due date"),
        clauses.count("renewals", "renewals", "renewals"),
        clauses.moment("lent_at", "time of lending"),
    ]
    names = ("holdings", "holding", "holdings")
    holding = part(names, held, holdings, refers={key: host}, checks=("copies >= 0",), opaque=host.key_is_opaque)
    names = ("borrowers", "borrower", "borrowers")
    borrower = part(names, named, borrowers, label="borrower_name", checks=("loan_limit >= 1",))
    names = ("loans", "loan", "loans")
    loan = part(
        names, lent, loans, refers={"borrower_id": borrower.table, key: host}, checks=("renewals BETWEEN 0 AND 1",)
    )
    return [holding, borrower, loan]


def _out(**where: Value) -> Tally:
    return number_of("loans", {**where, "status": ("out",)})


def _holding_view(host: TableProfile, key: str) -> View:
    out = _out(**{key: cell("row", key)})
    return View(
        name="get_holding",
        table="holdings",
        description=f"Tell how many copies of a {host.singular} there are to lend, how many are out, and how many are in.",
        figures=(
            clauses.figure("lent", out, "copies on loan"),
            clauses.figure("on_shelf", minus(cell("row", "copies"), out), "copies that can be lent now"),
        ),
    )


def _borrower_view() -> View:
    out = _out(borrower_id=cell("row", "borrower_id"))
    lost = number_of("loans", {"borrower_id": cell("row", "borrower_id"), "status": ("lost",)})
    return View(
        name="get_borrower_standing",
        table="borrowers",
        description="Tell a borrower's standing and limit, how much they have on loan, can still borrow, and have lost.",
        figures=(
            clauses.figure("on_loan", out, "things on loan"),
            clauses.figure("loans_left", minus(cell("row", "loan_limit"), out), "things that can still be borrowed"),
            clauses.figure("unpaid_losses", lost, "lost things not yet paid for"),
        ),
    )


def _may_have_one_more(key: str) -> tuple[Guard, Guard, Guard]:
    """Require that the borrower is below the limit and has no copy of the thing, and that one is in."""
    who, what = given("borrower_id"), given(key)
    same = {"borrower_id": who, key: what, "status": ("out",)}
    limit, copies = cell("borrower", "loan_limit"), cell("holding", "copies")
    few = "The borrower has {0} on loan; the limit is {1}."
    return (
        require(_out(borrower_id=who), "<", limit, "loan_limit_reached", few),
        no_rows_of("loans", same, "already_on_loan", "The borrower has {0} copy of it on loan already."),
        require(_out(**{key: what}), "<", copies, "no_copy_left", "{0} copies are on loan; there are {1}."),
    )


def _lend(noun: str, holding: TableProfile, key: str, borrower: TableProfile, loan: TableProfile) -> Action:
    return create(
        "lend_copy",
        loan,
        f"Lend a copy of a {noun} for {LOAN_DAYS} days. Refused to suspended borrowers, beyond the borrower's limit, when "
        "they have a copy already, and when no copy is in.",
        arguments=(
            key_argument(borrower, "Who borrows it."),
            key_argument(holding, f"The {noun} to lend.", key),
        ),
        finds=(find("borrower", "borrowers", given("borrower_id")), find("holding", "holdings", given(key))),
        guards=(
            must_be(borrower, ("active",), "borrower_suspended", so="nothing is lent to them"),
            *_may_have_one_more(key),
        ),
        values={
            "borrower_id": given("borrower_id"),
            key: given(key),
            "status": fixed("out"),
            "due_on": now(LOAN_DAYS),
            "renewals": fixed(0),
            "lent_at": now(),
        },
        requests=(f"lend {{{key}}} to {{borrower_id}}", f"check a copy of {{{key}}} out to {{borrower_id}}"),
    )


def _renew(loan: TableProfile) -> Action:
    due, renewals = cell("loan", "due_on"), cell("loan", "renewals")
    return update(
        "renew_loan",
        loan,
        f"Renew a loan for {LOAN_DAYS} days from today. Refused when it is overdue or was renewed before.",
        source=("out",),
        done="renewed",
        arguments=(),
        values={"due_on": now(LOAN_DAYS), "renewals": plus(renewals, fixed(1))},
        guards=(
            require(due, ">=", now(0), "loan_overdue", "It was due on {0}, and today is {1}."),
            require(renewals, "<", fixed(1), "already_renewed", "It was renewed {0} times of {1} allowed."),
        ),
        requests=("renew {row}", "extend {row} once more"),
    )


def _loan_actions(key: str, loan: TableProfile) -> tuple[Action, ...]:
    """Return the actions that move a loan through its life."""
    lender = find("borrower", "borrowers", cell("loan", "borrower_id"))
    holding = find("holding", "holdings", cell("loan", key))
    return (
        transition(
            "return_loan",
            loan,
            "Take a lent copy back.",
            source=("out",),
            to="returned",
            requests=("take {row} back", "check {row} in"),
        ),
        transition(
            "report_loan_lost",
            loan,
            "Record that a lent copy is lost: there is one copy less, and the borrower is suspended.",
            source=("out",),
            to="lost",
            done="reported lost",
            finds=(lender, holding),
            before=(
                set_to("holding", copies=minus(cell("holding", "copies"), fixed(1))),
                set_to("borrower", status=fixed("suspended")),
            ),
            requests=("report {row} as lost", "write {row} off as lost"),
        ),
        transition(
            "settle_lost_loan",
            loan,
            "Record that a lost copy was paid for and replaced: there is one copy more.",
            source=("lost",),
            to="paid for",
            finds=(holding,),
            before=(set_to("holding", copies=plus(cell("holding", "copies"), fixed(1))),),
            requests=("settle {row}", "record that {row} was paid for"),
        ),
    )


def _borrower_actions(borrower: TableProfile) -> tuple[Action, ...]:
    unpaid = no_rows_of(
        "loans",
        {"borrower_id": given("borrower_id"), "status": ("lost",)},
        "unpaid_losses",
        "The borrower has lost {0} copies that were not paid for.",
    )
    return (
        transition(
            "suspend_borrower",
            borrower,
            "Suspend a borrower, to whom nothing is lent then.",
            source=("active",),
            to="suspended",
            requests=("suspend {row}", "block {row} from borrowing"),
        ),
        transition(
            "reinstate_borrower",
            borrower,
            "Lift a borrower's suspension. Refused while something they lost is not paid for.",
            source=("suspended",),
            to="active",
            done="reinstated",
            guards=(unpaid,),
            requests=("reinstate {row}", "lift the suspension of {row}"),
        ),
    )


def _change_limit(borrower: TableProfile) -> Action:
    lent = _out(borrower_id=given("borrower_id"))
    limit = whole_number("loan_limit", "Most loans at a time.", most=20)
    return update(
        "change_loan_limit",
        borrower,
        "Change how much a borrower can have on loan. Refused below what they have.",
        arguments=(clauses.drawn(limit, "small_counts"),),
        guards=(
            require(given("loan_limit"), ">=", lent, "below_loans", "A limit of {0} is less than the {1} on loan."),
        ),
        requests=("set the loan limit of {row} to {loan_limit}", "let {row} borrow up to {loan_limit} at a time"),
    )


def _withdraw(host: TableProfile, key: str, holding: TableProfile) -> Action:
    return update(
        "withdraw_copies",
        holding,
        f"Take copies of a {host.singular} out of the holdings for good. Refused when fewer are in.",
        arguments=(clauses.drawn(whole_number("withdrawn", "Number of copies.", most=20), "small_counts"),),
        values={"copies": minus(cell("holding", "copies"), given("withdrawn"))},
        guards=(
            require(
                given("withdrawn"),
                "<=",
                minus(cell("holding", "copies"), _out(**{key: given(key)})),
                "copies_on_loan",
                "{0} copies were to go, but only {1} are in.",
            ),
        ),
        requests=("withdraw {withdrawn} copies from {row}", "take {withdrawn} copies out of {row}"),
    )


LOANS = Archetype("loans", _propose, lambda profile: rank(profile, FITS))
