"""Budgets of categories or organisations: a yearly amount each, spending requests against it, and who approves them.

submitted → approved → paid; submitted requests are refused or withdrawn, approved ones cancelled. A request stays within
what its budget has left; an approver signs up to a limit. What is approved is committed at once, what is paid is spent.
"""

from __future__ import annotations

from random import Random

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Argument, Guard, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    create,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    own_key,
    plus,
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import spending_purposes
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("submitted", "approved", "paid", "refused", "withdrawn", "cancelled")
APPROVERS = 40
SEEDED_REQUESTS = 240
FITS = {"topic": 0.7, "territory": 0.6, "organisation": 0.6, "place": 0.45, "thing": 0.3}
OWN_NAMES = {
    *(
        "budget",
        "yearly_amount",
        "single_limit",
        "committed",
        "approver",
        "approver_id",
        "approver_name",
        "signing_limit",
    ),
    *("spending_request", "request_id", "purpose", "amount", "status", "requested_at", "receiving", "to_budget"),
}
AMOUNT = cell("spending_request", "amount")


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return budgets of `host`, approvers and spending requests, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"budgets:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    popular = Popularity(rng, profile, frames, host)
    names = person_names(rng, APPROVERS)
    limits = [rng.choice((60, 120, 240, 400, 800, 5000)) for _ in names]
    approvers = [{"approver_name": name, "signing_limit": limit} for name, limit in zip(names, limits, strict=True)]
    requests = _requests(rng, key, popular, limits, start)
    parts = _parts(
        table, key, _budgets(rng, key, popular, requests), clauses.numbered("approver_id", approvers), requests
    )
    budget, approver, request = (each.table for each in parts)
    actions = (
        _request(table.singular, key, budget, request),
        _approve(key, approver, request),
        *_lifecycle(key, request),
        _change_amount(key, request),
        _move_money(key, budget),
    )
    return overlay_of("budgets", table, key, parts, (_budget_view(table, key), _approver_view()), actions)


def _requests(rng: Random, key: str, popular: Popularity, limits: list[int], start: str) -> list[Row]:
    """Simulate requests, the old ones settled; who approved one may sign for so much."""
    rows: list[Row] = []
    moments = moments_before(start, 240, [rng.random() for _ in range(SEEDED_REQUESTS)])
    purposes = spending_purposes(rng)
    for number, requested_at in enumerate(moments):
        recent = number > SEEDED_REQUESTS * 3 // 5
        status = rng.choices(STATUSES, (55, 25, 10, 4, 3, 3) if recent else (0, 5, 70, 13, 6, 6))[0]
        amount = rng.randint(2, 60) * 10
        able = [place for place, limit in enumerate(limits, 1) if limit >= amount]
        signed = status in ("approved", "paid", "cancelled")
        row = {key: popular.draw(rng), "purpose": purposes[number], "amount": amount, "status": status}
        rows.append({**row, "approver_id": rng.choice(able) if signed else None, "requested_at": requested_at})
    return clauses.numbered("request_id", rows)


def _budgets(rng: Random, key: str, popular: Popularity, requests: list[Row]) -> list[Row]:
    """Simulate budgets that cover what was requested, every fourth with little to spare."""
    rows = []
    for place, value in enumerate(popular.listed):
        mine = [request for request in requests if request[key] == value]
        committed = sum(r["amount"] for r in mine if r["status"] in ("approved", "paid"))
        asked = committed + sum(r["amount"] for r in mine if r["status"] == "submitted")
        spare = rng.choice((0, 20, 60)) if place % 4 == 0 else rng.choice((400, 900, 1500, 3000))
        rows.append(
            {
                key: value,
                "yearly_amount": asked + spare + 40,
                "single_limit": rng.choice((250, 400, 600, 1000)),
                "committed": committed,
            }
        )
    return rows


def _parts(host: TableProfile, key: str, budgets: list[Row], approvers: list[Row], requests: list[Row]) -> list[Part]:
    planned = [
        host_column(host, "key", key),
        clauses.count("yearly_amount", "yearly budget", "dollars"),
        clauses.count("single_limit", "limit for one request", "dollars"),
        clauses.count("committed", "money committed", "dollars"),
    ]
    named = [
        clauses.key("approver_id", "approver number"),
        clauses.label("approver_name", "approver name"),
        clauses.count("signing_limit", "signing limit", "dollars"),
    ]
    asked = [
        clauses.key("request_id", "spending request number"),
        host_column(host, "reference", key),
        clauses.label("purpose", "purpose"),
        clauses.count("amount", "amount requested", "dollars"),
        clauses.category("status", "request status", STATUSES),
        clauses.refers("approver_id", "approver number", nullable=True),
        clauses.moment("requested_at", "time of the request"),
    ]
    names = ("budgets", "budget", "budgets")
    within = ("committed BETWEEN 0 AND yearly_amount", "single_limit >= 1")
    budget = part(names, planned, budgets, refers={key: host}, checks=within, opaque=host.key_is_opaque)
    names = ("approvers", "approver", "approvers")
    approver = part(names, named, approvers, label="approver_name", checks=("signing_limit >= 0",))
    names = ("spending_requests", "spending request", "spending requests")
    signed = "(approver_id IS NOT NULL) = (status IN ('approved', 'paid', 'cancelled'))"
    checks = ("amount >= 1", signed, "length(purpose) BETWEEN 1 AND 120")
    references = {key: host, "approver_id": approver.table}
    return [budget, approver, part(names, asked, requests, refers=references, label="purpose", checks=checks)]


def _pending(key: str, value: Value, besides: str | None = None) -> Value:
    return total_of("spending_requests", "amount", {key: value, "status": ("submitted",)}, besides)


def _budget_view(host: TableProfile, key: str) -> View:
    pending = _pending(key, cell("row", key))
    free = minus(cell("row", "yearly_amount"), cell("row", "committed"))
    return View(
        name="get_budget",
        table="budgets",
        description=f"Tell the yearly budget of a {host.singular}, what of it is committed, asked for, and left to ask for.",
        figures=(
            clauses.figure("pending", pending, "dollars asked for and not decided"),
            clauses.figure("left", minus(free, pending), "dollars left to ask for"),
        ),
    )


def _approver_view() -> View:
    mine = {"approver_id": cell("row", "approver_id"), "status": ("approved", "paid")}
    return View(
        name="get_approver_record",
        table="approvers",
        description="Tell up to what an approver can sign, how many spending requests they approved, and for how much.",
        figures=(
            clauses.figure("approved", number_of("spending_requests", mine), "requests approved"),
            clauses.figure("approved_amount", total_of("spending_requests", "amount", mine), "dollars approved"),
        ),
    )


def _within_budget(key: str, value: Value, amount: Value, besides: str | None = None) -> tuple[Guard, Guard]:
    free = minus(cell("budget", "yearly_amount"), cell("budget", "committed"))
    left = minus(free, _pending(key, value, besides))
    return (
        at_most(
            amount,
            cell("budget", "single_limit"),
            "above_single_limit",
            "{0} dollars exceed the limit of {1} for one request.",
        ),
        at_most(amount, left, "over_budget", "{0} dollars were asked for, but only {1} are left."),
    )


def _amount() -> Argument:
    return clauses.drawn(whole_number("amount", "Whole dollars.", most=100000), "amounts")


def _request(noun: str, key: str, budget: TableProfile, request: TableProfile) -> Action:
    same = {key: given(key), "purpose": given("purpose"), "status": ("submitted", "approved")}
    return create(
        "request_spending",
        request,
        f"Ask for money from the budget of a {noun}. Refused for what was asked for already, and beyond its limits.",
        arguments=(
            key_argument(budget, f"The {noun} whose budget it is.", key),
            free_text("purpose", "What it is for.", 120, "spending_purposes"),
            _amount(),
        ),
        finds=(find("budget", "budgets", given(key)),),
        guards=(
            no_rows_of("spending_requests", same, "already_requested", "{0} request for it is under way already."),
            *_within_budget(key, given(key), given("amount")),
        ),
        values={
            **{name: given(name) for name in (key, "purpose", "amount")},
            "status": fixed("submitted"),
            "approver_id": fixed(None),
            "requested_at": now(),
        },
        requests=(
            f"ask for {{amount}} dollars from the budget of {{{key}}} for “{{purpose}}”",
            f"submit a spending request for {{{key}}}: “{{purpose}}”, {{amount}} dollars",
        ),
    )


def _approve(key: str, approver: TableProfile, request: TableProfile) -> Action:
    return transition(
        "approve_spending_request",
        request,
        "Approve a submitted spending request in an approver's name: its amount is committed. Refused beyond what they sign.",
        source=("submitted",),
        to="approved",
        arguments=(key_argument(approver, "Who approves it."),),
        values={"approver_id": given("approver_id")},
        finds=(
            find("approver", "approvers", given("approver_id")),
            find("budget", "budgets", cell("spending_request", key)),
        ),
        guards=(
            at_most(
                AMOUNT,
                cell("approver", "signing_limit"),
                "beyond_signing_limit",
                "{0} dollars exceed the {1} that they sign.",
            ),
        ),
        before=(set_to("budget", committed=plus(cell("budget", "committed"), AMOUNT)),),
        requests=("let {approver_id} approve {row}", "approve {row} in the name of {approver_id}"),
    )


def _lifecycle(key: str, request: TableProfile) -> tuple[Action, ...]:
    """Return the actions that settle a spending request."""
    freed = set_to("budget", committed=minus(cell("budget", "committed"), AMOUNT))
    simple = (
        ("pay", "Pay an approved spending request.", "approved", "paid", "pay {row} out"),
        ("refuse", "Refuse a submitted spending request.", "submitted", "refused", "turn {row} down"),
        ("withdraw", "Withdraw a submitted spending request.", "submitted", "withdrawn", "take {row} back"),
    )
    return (
        *(
            transition(
                f"{verb}_spending_request", request, text, source=(source,), to=to, requests=(f"{verb} {{row}}", way)
            )
            for verb, text, source, to, way in simple
        ),
        transition(
            "cancel_spending_request",
            request,
            "Cancel an approved spending request: its amount is no longer committed.",
            source=("approved",),
            to="cancelled",
            finds=(find("budget", "budgets", cell("spending_request", key)),),
            before=(freed,),
            requests=("cancel {row}", "call {row} off"),
        ),
    )


def _change_amount(key: str, request: TableProfile) -> Action:
    return update(
        "change_requested_amount",
        request,
        "Change the amount of a submitted spending request, within the limits of its budget.",
        source=("submitted",),
        arguments=(_amount(),),
        finds=(find("budget", "budgets", cell("spending_request", key)),),
        guards=_within_budget(key, cell("spending_request", key), given("amount"), "spending_request"),
        requests=("change {row} to {amount} dollars", "set the amount of {row} to {amount} dollars"),
    )


def _move_money(key: str, budget: TableProfile) -> Action:
    into = key_argument(budget, "The budget that receives it.", "to_budget")
    free = minus(cell("budget", "yearly_amount"), cell("budget", "committed"))
    return Action(
        name="move_budget",
        verb="update",
        table="budgets",
        description="Move money from one yearly budget to another. Refused for what is committed or asked for.",
        arguments=(own_key(budget), into, _amount()),
        finds=(find("budget", "budgets", given(key)), find("receiving", "budgets", given("to_budget"))),
        guards=(
            require(given(key), "!=", given("to_budget"), "same_budget", "Both are the budget of {0}."),
            at_most(
                given("amount"),
                minus(free, _pending(key, given(key))),
                "over_budget",
                "{0} dollars were asked for, but only {1} are left.",
            ),
        ),
        effects=(
            set_to("budget", yearly_amount=minus(cell("budget", "yearly_amount"), given("amount"))),
            set_to("receiving", yearly_amount=plus(cell("receiving", "yearly_amount"), given("amount"))),
        ),
        returns="budget",
        requests=(
            "move {amount} dollars from {row} to {to_budget}",
            "take {amount} dollars out of {row} and add them to {to_budget}",
        ),
    )


BUDGETS = Archetype("budgets", _propose, lambda profile: rank(profile, FITS, fewest=4))
