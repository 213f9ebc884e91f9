"""Subscriptions to news about things or topics: plans with a price and few seats, subscribers with a budget.

trial → active ⇄ paused, and ended from each of them. A subscriber has at most one live subscription to a thing; a
plan has as many live subscriptions as seats; what a subscriber's live ones cost stays within the monthly budget.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Guard, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    at_most,
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
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import require
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import vocabulary
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("trial", "active", "paused", "ended")
LIVE = ("trial", "active", "paused")
SUBSCRIBERS = 160
SEEDED_SUBSCRIPTIONS = 320
MOST_PAUSED = 1
FITS = {
    **{"topic": 0.75, "territory": 0.6, "organisation": 0.7, "place": 0.5, "person": 0.45, "work": 0.3, "goods": 0.3},
    **{"living": 0.4, "thing": 0.45, "vehicle": 0.2},
}
OWN_NAMES = {
    *(
        "about",
        "plan",
        "plan_id",
        "plan_name",
        "monthly_price",
        "seat_limit",
        "subscriber",
        "subscriber_id",
        "subscriber_name",
    ),
    *("monthly_budget", "subscription", "subscription_id", "status", "started_at"),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return plans, subscribers and subscriptions to `host`, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"subscriptions:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    prices = sorted(rng.sample((3, 4, 5, 6, 8, 9, 10, 12, 14, 15, 18, 20, 24, 29), len(vocabulary("plan_names"))))
    plans = [{"plan_name": n, "monthly_price": p} for n, p in zip(vocabulary("plan_names"), prices, strict=True)]
    plans = clauses.numbered("plan_id", plans)
    subscriptions = _subscriptions(rng, key, plans, Popularity(rng, profile, frames, host), start)
    subscribers = _subscribers(rng, subscriptions)
    parts = _parts(table, key, _with_seats(rng, plans, subscriptions), subscribers, subscriptions)
    plan, subscriber, subscription = (each.table for each in parts)
    actions = (
        _start(table, key, plan, subscriber, subscription),
        *_lifecycle(subscription),
        _change_plan(plan, subscription),
        _change_budget(subscriber),
    )
    return overlay_of("subscriptions", table, key, parts, (_plan_view(), _subscriber_view()), actions)


def _subscriptions(rng: Random, key: str, plans: list[Row], popular: Popularity, start: str) -> list[Row]:
    """Simulate subscriptions, at most one live one a subscriber and thing; most subscribers have few."""
    live: set[tuple[int, Any]] = set()
    paused: set[int] = set()
    rows: list[Row] = []
    for started_at in moments_before(start, 400, [rng.random() for _ in range(SEEDED_SUBSCRIPTIONS)]):
        subscriber, value = rng.randint(1, rng.choice((40, SUBSCRIBERS))), popular.draw(rng)
        status = rng.choices(STATUSES, (18, 46, 12, 24))[0]
        if (subscriber, value) in live or (status == "paused" and subscriber in paused):
            status = "ended"
        if status != "ended":
            live.add((subscriber, value))
        if status == "paused":
            paused.add(subscriber)
        plan = rng.choice(plans[:4] if rng.random() < 0.5 else plans)
        rows.append(
            {
                "subscriber_id": subscriber,
                key: value,
                "plan_id": plan["plan_id"],
                "monthly_price": plan["monthly_price"],
                "status": status,
                "started_at": started_at,
            }
        )
    return clauses.numbered("subscription_id", rows)


def _with_seats(rng: Random, plans: list[Row], subscriptions: list[Row]) -> list[Row]:
    """Give every plan a seat limit: every third is full."""
    taken = [sum(s["plan_id"] == plan["plan_id"] and s["status"] != "ended" for s in subscriptions) for plan in plans]
    spare = [0 if place % 3 == 2 else rng.choice((2, 5, 9, 15)) for place in range(len(plans))]
    return [{**plan, "seat_limit": max(t + s, 1)} for plan, t, s in zip(plans, taken, spare, strict=True)]


def _subscribers(rng: Random, subscriptions: list[Row]) -> list[Row]:
    """Simulate subscribers whose budget covers what they are subscribed to, for some with little to spare."""
    spent = dict.fromkeys(range(1, SUBSCRIBERS + 1), 0)
    for row in subscriptions:
        spent[row["subscriber_id"]] += row["monthly_price"] if row["status"] != "ended" else 0
    names = person_names(rng, SUBSCRIBERS)
    rows = [
        {"subscriber_name": name, "monthly_budget": -(-(cost + rng.choice((2, 5, 20, 40))) // 5) * 5}
        for name, cost in zip(names, spent.values(), strict=True)
    ]
    return clauses.numbered("subscriber_id", rows)


def _parts(host: TableProfile, key: str, plans: list[Row], subscribers: list[Row], rows: list[Row]) -> list[Part]:
    offered = [
        clauses.key("plan_id", "plan number"),
        clauses.label("plan_name", "plan name"),
        clauses.count("monthly_price", "monthly price", "dollars"),
        clauses.count("seat_limit", "seat limit", "subscriptions"),
    ]
    named = [
        clauses.key("subscriber_id", "subscriber number"),
        clauses.label("subscriber_name", "subscriber name"),
        clauses.count("monthly_budget", "monthly budget", "dollars"),
    ]
    subscribed = [
        clauses.key("subscription_id", "subscription number"),
        clauses.refers("subscriber_id", "subscriber number"),
        host_column(host, "reference", key),
        clauses.refers("plan_id", "plan number"),
        clauses.count("monthly_price", "monthly price", "dollars"),
        clauses.category("status", "subscription status", STATUSES),
        clauses.moment("started_at", "time of subscribing"),
    ]
    names = ("plans", "plan", "plans")
    plan = part(names, offered, plans, label="plan_name", checks=("monthly_price >= 0", "seat_limit >= 1"))
    names = ("subscribers", "subscriber", "subscribers")
    subscriber = part(names, named, subscribers, label="subscriber_name", checks=("monthly_budget >= 0",))
    names = ("subscriptions", "subscription", "subscriptions")
    references = {"subscriber_id": subscriber.table, key: host, "plan_id": plan.table}
    return [plan, subscriber, part(names, subscribed, rows, refers=references, checks=("monthly_price >= 0",))]


def _plan_view() -> View:
    taken = number_of("subscriptions", {"plan_id": cell("row", "plan_id"), "status": LIVE})
    return View(
        name="get_plan_seats",
        table="plans",
        description="Tell a plan's price and seat limit, how many live subscriptions take a seat, and how many seats are left.",
        figures=(
            clauses.figure("seats_taken", taken, "seats taken"),
            clauses.figure("seats_left", minus(cell("row", "seat_limit"), taken), "seats left"),
        ),
    )


def _subscriber_view() -> View:
    mine = {"subscriber_id": cell("row", "subscriber_id"), "status": LIVE}
    spent = total_of("subscriptions", "monthly_price", mine)
    return View(
        name="get_subscriber_budget",
        table="subscribers",
        description="Tell a subscriber's monthly budget, how many live subscriptions they have, their cost, and what is left.",
        figures=(
            clauses.figure("live", number_of("subscriptions", mine), "live subscriptions"),
            clauses.figure("monthly_cost", spent, "monthly cost of the live subscriptions"),
            clauses.figure("budget_left", minus(cell("row", "monthly_budget"), spent), "monthly budget left"),
        ),
    )


def _seat(besides: str | None = None) -> Guard:
    taken = number_of("subscriptions", {"plan_id": given("plan_id"), "status": LIVE}, besides)
    return require(
        taken, "<", cell("plan", "seat_limit"), "plan_full", "The plan has {0} live subscriptions; its limit is {1}."
    )


def _affordable(subscriber: Value, besides: str | None = None) -> Guard:
    spent = total_of("subscriptions", "monthly_price", {"subscriber_id": subscriber, "status": LIVE}, besides)
    return at_most(
        plus(spent, cell("plan", "monthly_price")),
        cell("subscriber", "monthly_budget"),
        "over_budget",
        "Their subscriptions would cost {0} dollars a month; the budget is {1}.",
    )


def _start(
    host: TableProfile, key: str, plan: TableProfile, subscriber: TableProfile, subscription: TableProfile
) -> Action:
    same = {"subscriber_id": given("subscriber_id"), key: given(key), "status": LIVE}
    return create(
        "start_subscription",
        subscription,
        f"Subscribe somebody to news about a {host.singular}, as a trial first. Refused when they are subscribed to it, when "
        "the plan is full, and beyond their monthly budget.",
        arguments=(
            key_argument(subscriber, "Who subscribes."),
            key_argument(host, f"The {host.singular} to be told about.", key),
            key_argument(plan, "The plan."),
        ),
        finds=(
            find("subscriber", "subscribers", given("subscriber_id")),
            find("about", host.name, given(key)),
            find("plan", "plans", given("plan_id")),
        ),
        guards=(
            no_rows_of("subscriptions", same, "already_subscribed", "They have {0} live subscription to it already."),
            _seat(),
            _affordable(given("subscriber_id")),
        ),
        values={
            "subscriber_id": given("subscriber_id"),
            key: given(key),
            "plan_id": given("plan_id"),
            "monthly_price": cell("plan", "monthly_price"),
            "status": fixed("trial"),
            "started_at": now(),
        },
        requests=(
            f"subscribe {{subscriber_id}} to {{{key}}} on {{plan_id}}",
            f"start a trial of {{plan_id}} about {{{key}}} for {{subscriber_id}}",
        ),
    )


def _lifecycle(subscription: TableProfile) -> tuple[Action, ...]:
    """Return the actions that move a subscription through its life."""
    paused = number_of("subscriptions", {"subscriber_id": cell("subscription", "subscriber_id"), "status": ("paused",)})
    few_paused = require(
        paused,
        "<",
        fixed(MOST_PAUSED),
        "too_many_paused",
        "The subscriber has {0} paused subscriptions; {1} is allowed.",
    )
    moves: tuple[tuple[str, str, tuple[str, ...], str, tuple[Guard, ...], str], ...] = (
        ("activate", "Turn a trial into an active subscription.", ("trial",), "active", (), "activated"),
        (
            "pause",
            f"Pause an active subscription. Refused when its subscriber has {MOST_PAUSED} paused already.",
            ("active",),
            "paused",
            (few_paused,),
            "paused",
        ),
        ("resume", "Resume a paused subscription.", ("paused",), "active", (), "resumed"),
        ("end", "End a subscription; its seat is free again.", LIVE, "ended", (), "ended"),
    )
    return tuple(
        transition(
            f"{verb}_subscription",
            subscription,
            description,
            source=source,
            to=to,
            done=done,
            guards=guards,
            requests=(f"{verb} {{row}}", f"see to it that {{row}} is {done}"),
        )
        for verb, description, source, to, guards, done in moves
    )


def _change_plan(plan: TableProfile, subscription: TableProfile) -> Action:
    return update(
        "change_plan",
        subscription,
        "Move a live subscription to another plan, at that plan's price. Refused when that is full or beyond the budget.",
        source=LIVE,
        arguments=(key_argument(plan, "The plan to move to."),),
        values={"plan_id": given("plan_id"), "monthly_price": cell("plan", "monthly_price")},
        finds=(
            find("plan", "plans", given("plan_id")),
            find("subscriber", "subscribers", cell("subscription", "subscriber_id")),
        ),
        guards=(
            require(
                given("plan_id"),
                "!=",
                cell("subscription", "plan_id"),
                "same_plan",
                "The subscription is on plan {1} already.",
            ),
            _seat("subscription"),
            _affordable(cell("subscription", "subscriber_id"), "subscription"),
        ),
        requests=("move {row} to {plan_id}", "switch {row} over to {plan_id}"),
    )


def _change_budget(subscriber: TableProfile) -> Action:
    mine = {"subscriber_id": given("subscriber_id"), "status": LIVE}
    return update(
        "change_monthly_budget",
        subscriber,
        "Change a subscriber's monthly budget. Refused below what their live subscriptions cost.",
        arguments=(clauses.drawn(whole_number("monthly_budget", "Dollars a month.", most=1000), "amounts"),),
        guards=(
            require(
                given("monthly_budget"),
                ">=",
                total_of("subscriptions", "monthly_price", mine),
                "below_cost",
                "A budget of {0} dollars does not cover the {1} that the live subscriptions cost.",
            ),
        ),
        requests=("set the monthly budget of {row} to {monthly_budget}", "let {row} spend {monthly_budget} a month"),
    )


SUBSCRIPTIONS = Archetype("subscriptions", _propose, lambda profile: rank(profile, FITS))
