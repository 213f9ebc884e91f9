"""Rows of sales orders, simulated: a shop's stock, orders with their lines, and buyers who can pay for them."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import Any

from tasks.authors.rules.overlays.clauses import numbered
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import day_after
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("open", "paid", "shipped", "returned", "cancelled")
BUYERS = 150
SEEDED_ORDERS = 260
RECENT = 110
KEEN = 12
MOST_OPEN = 3


def simulate_items(rng: Random, key: str, prices: dict[Any, float]) -> list[Row]:
    """Simulate the shop: some things are sold out, some nearly."""
    stocks, weights = (0, 1, 2, 3, 5, 8, 12, 20, 30), (10, 8, 8, 10, 14, 18, 16, 10, 6)
    return [
        {key: value, "unit_price": price, "in_stock": rng.choices(stocks, weights)[0]}
        for value, price in prices.items()
    ]


def simulate_orders(
    rng: Random, key: str, items: list[Row], popular: Popularity, start: str
) -> tuple[list[Row], list[Row]]:
    """Simulate orders, the recent ones open; the first buyers have as many open ones as they may."""
    prices = {item[key]: item["unit_price"] for item in items}
    keen = [buyer for buyer in range(1, KEEN + 1) for _ in range(MOST_OPEN)]
    orders: list[Row] = []
    lines: list[Row] = []
    free = dict.fromkeys(range(KEEN + 1, BUYERS + 1), MOST_OPEN - 1)
    moments = moments_before(start, 90, [rng.random() for _ in range(SEEDED_ORDERS)])
    for number, placed in enumerate(moments, 1):
        status = rng.choices(STATUSES, (60, 20, 15, 0, 5) if number > SEEDED_ORDERS - RECENT else (0, 5, 70, 15, 10))[0]
        buyer = rng.randint(KEEN + 1, BUYERS)
        if number > SEEDED_ORDERS - len(keen):
            buyer, status = keen[SEEDED_ORDERS - number], "open"
        elif status == "open" and not free[buyer]:
            status = "paid"
        elif status == "open":
            free[buyer] -= 1
        wanted = {"open": rng.choice((0, 1, 1, 2)), "cancelled": 0}.get(status, rng.randint(1, 2))
        total = 0.0
        for value in sorted({popular.draw(rng) for _ in range(wanted)}):
            quantity = rng.choices((1, 2, 3, 5), (60, 25, 10, 5))[0]
            total = round(total + round(prices[value] * quantity, 2), 2)
            line = {"sales_order_id": number, key: value, "quantity": quantity, "unit_price": prices[value]}
            lines.append({"line_id": len(lines) + 1, **line})
        orders.append(
            {"sales_order_id": number, "buyer_id": buyer, "total": total, "status": status, "placed_at": placed}
        )
        orders[-1]["shipped_on"] = _shipped(rng, placed, start) if status in ("shipped", "returned") else None
    return orders, lines


def _shipped(rng: Random, placed: str, start: str) -> str:
    """Return a day between ordering and today."""
    return min(day_after(placed, rng.randint(0, 6)), day_after(start, -1 if placed[:10] < start[:10] else 0))


def simulate_buyers(rng: Random, orders: list[Row]) -> list[Row]:
    """Simulate buyers with a credit limit above what they owe, for some by little."""
    owed = dict.fromkeys(range(1, BUYERS + 1), 0.0)
    for order in orders:
        owed[order["buyer_id"]] += order["total"] if order["status"] == "open" else 0.0
    usual = max(median([order["total"] for order in orders if order["total"]] or [50.0]), 1.0)
    limits = [
        float(int(debt + usual * rng.choice((0.2, 1.0, 3.0, 6.0, 10.0))) // 10 * 10 + 10) for debt in owed.values()
    ]
    names = person_names(rng, BUYERS)
    rows = [{"buyer_name": name, "credit_limit": limit} for name, limit in zip(names, limits, strict=True)]
    return numbered("buyer_id", rows)
