"""Purchase orders for a host that is stocked (albums): shelves with a capacity, and orders with a lifecycle.

draft → approved → received; drafts and approved orders can be cancelled. What is on hand and
on open orders never exceeds the shelf's capacity.
"""

from __future__ import annotations

import re
from random import Random
from statistics import median
from typing import Any

import polars as pl

from schemas.environments import Overlay, StateContract
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.tools import Tool
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.names import TableNames, host_column_name, host_reference
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)
from tasks.authors.rules.tools.schemas import Schema
from tasks.authors.rules.tools.writes import WriteTools
from tasks.mining.environments import clock_start

STATUSES = ("draft", "approved", "received", "cancelled")
OPEN = ("draft", "approved")
ORDERS = 320
CAPACITIES = (12, 20, 30, 40, 60)
PRICE_WORDS = {"price", "cost"}
OTHER_PRICES = {
    *("average", "avg", "mean", "median", "total", "typical", "ticket", "tickets", "tuition", "living", "health"),
    *("share", "stock", "close", "closing", "open", "opening", "high", "low", "fuel", "oil", "house", "home", "rent"),
}
COST_SHARE = 0.6
"""What a shop pays of what it charges."""
DEFAULT_PRICE = 10.0
OWN_NAMES = {
    *("order_id", "on_hand", "reorder_point", "shelf_capacity", "unit_cost", "quantity", "status", "created_at"),
    *("stock", "order", "refusal", "on_order", "free_space"),
}
"""Columns and variables of the tools, which the host's column must not be called like."""


def price_source(profile: WorldProfile, host: str) -> tuple[str, str, str] | None:
    """Find the host's price: (table, money column, child's reference to the host).

    The host's own column comes first (the third is then ""), then those of tables that refer to it.
    """
    for column in profile.table(host).columns:
        if _is_price(column):
            return host, column.name, ""
    for child, foreign in profile.children(host):
        for column in child.columns:
            if _is_price(column):
                return child.name, column.name, foreign.column
    return None


def _is_price(column: ColumnProfile) -> bool:
    """Tell what a thing is sold for from other money: salaries and totals, averages, what a share or a ticket costs."""
    named = set(re.split(r"[\W_]+", f"{column.name} {column.words}".lower()))
    return column.type == "money" and bool(named & PRICE_WORDS) and not named & OTHER_PRICES


def propose_purchase_orders(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int) -> Overlay:
    """Return the stock levels and the purchase orders of `host`, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"purchase_orders:{host}:{seed}")
    host_key = host_column_name(table, OWN_NAMES)
    stock = _stock_levels(rng, host_key, _costs(profile, frames, host))
    orders = _orders(rng, host_key, stock, clock_start(profile))
    source = price_source(profile, host)
    tables = [_stock_profile(table, host_key, stock), _orders_profile(table, host_key, orders)]
    return Overlay(
        archetype="purchase_orders",
        host=host,
        tables=tables,
        rows={"stock_levels": stock, "purchase_orders": orders},
        checks={
            "stock_levels": ["on_hand BETWEEN 0 AND shelf_capacity", "reorder_point >= 0", "unit_cost >= 0"],
            "purchase_orders": ["quantity >= 1", "unit_cost >= 0", *value_checks(tables[1])],
        },
        contract=StateContract(
            writable=["purchase_orders", "stock_levels"],
            generated_keys={"purchase_orders": "order_id"},
            clock_columns={"purchase_orders": ["created_at"]},
        ),
        parameters={
            "host": host,
            "host_key": host_key,
            "price_source": f"{source[0]}.{source[1]}" if source else f"{DEFAULT_PRICE} each",
        },
    )


def _costs(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str) -> dict[Any, float]:
    """Return host key → unit cost: a share of its price, or of its parts' prices together."""
    key = profile.table(host).key
    keys = sorted(frames[host][key].to_list())
    source = price_source(profile, host)
    prices: dict[Any, float] = {}
    if source is not None:
        table, column, via = source
        for value, price in frames[table].select(via or key, column).drop_nulls().sort(via or key).iter_rows():
            prices[value] = prices.get(value, 0.0) + price
    usual = median(prices.values()) if prices else DEFAULT_PRICE
    return {value: round(prices.get(value, usual) * COST_SHARE, 2) for value in keys}


def _stock_levels(rng: Random, host_key: str, costs: dict[Any, float]) -> list[Row]:
    """Simulate shelves: a quarter of them has fallen to the reorder point or below."""
    rows = []
    for value, cost in costs.items():
        capacity = rng.choice(CAPACITIES)
        reorder_point = max(2, capacity * rng.randint(15, 35) // 100)
        low = rng.random() < 0.25
        on_hand = rng.randint(0, reorder_point) if low else rng.randint(reorder_point + 1, capacity)
        rows.append(
            {
                host_key: value,
                "on_hand": on_hand,
                "reorder_point": reorder_point,
                "shelf_capacity": capacity,
                "unit_cost": cost,
            }
        )
    return rows


def _orders(rng: Random, host_key: str, stock: list[Row], start: str) -> list[Row]:
    """Simulate orders, the recent ones open; an open one only where the shelf has room for it."""
    room = [level["shelf_capacity"] - level["on_hand"] for level in stock]
    rows: list[Row] = []
    for position in range(ORDERS):
        recent = position >= ORDERS // 2
        place = rng.randrange(len(stock))
        status = rng.choices(STATUSES, (40, 35, 15, 10) if recent else (0, 0, 85, 15))[0]
        most = room[place] if status in OPEN else stock[place]["shelf_capacity"]
        if most < 1:
            status, most = "cancelled", stock[place]["shelf_capacity"]
        quantity = rng.randint(max(1, most // 4), most)
        if status in OPEN:
            room[place] -= quantity
        cost = stock[place]["unit_cost"] * (1.0 if status in OPEN else rng.choice((0.9, 0.95, 1.0)))
        rows.append(
            {
                "order_id": position + 1,
                host_key: stock[place][host_key],
                "quantity": quantity,
                "unit_cost": round(cost, 2),
                "status": status,
            }
        )
    created_at = moments_before(start, 120, [rng.random() for _ in rows])
    return [{**row, "created_at": created_at[i]} for i, row in enumerate(rows)]


def _stock_profile(host: TableProfile, host_key: str, rows: list[Row]) -> TableProfile:
    columns = [
        host_column(host, "key", host_key),
        OperationalColumn("on_hand", "integer", "measure", "units on hand", "units"),
        OperationalColumn("reorder_point", "integer", "measure", "reorder point", "units"),
        OperationalColumn("shelf_capacity", "integer", "measure", "shelf capacity", "units"),
        OperationalColumn("unit_cost", "money", "measure", "unit cost", "dollars"),
    ]
    return operational_table(
        ("stock_levels", "stock level", "stock levels"),
        columns,
        rows,
        opaque=host.key_is_opaque,
        label=None,
        foreign_keys=[reference(host_key, host.name, host.key)],
    )


def _orders_profile(host: TableProfile, host_key: str, rows: list[Row]) -> TableProfile:
    columns = [
        OperationalColumn("order_id", "integer", "key", "purchase order number"),
        host_column(host, "reference", host_key),
        OperationalColumn("quantity", "integer", "measure", "quantity ordered", "units"),
        OperationalColumn("unit_cost", "money", "measure", "unit cost", "dollars"),
        OperationalColumn("status", "text", "category", "order status", values=STATUSES),
        OperationalColumn("created_at", "datetime", "time", "time of ordering"),
    ]
    return operational_table(
        ("purchase_orders", "purchase order", "purchase orders"),
        columns,
        rows,
        opaque=True,
        label=None,
        foreign_keys=[reference(host_key, host.name, host.key)],
    )


def purchase_order_tools(profile: WorldProfile, host: str, names: TableNames) -> list[Tool]:
    """Return the tools that look at stock and change purchase orders."""
    tools = WriteTools(profile, "purchase_orders", names("purchase_orders"), host)
    noun, key = tools.host.singular, host_reference(tools.table, host)
    quantity = {"type": "integer", "minimum": 1, "description": "Number of units."}
    return [
        tools.status_view(
            "get_stock_level",
            names("stock_levels"),
            f"Tell how many units of the given {noun} are on hand, on open purchase orders (draft or approved), and how many "
            "more the shelf can take; with its reorder point, shelf capacity and unit cost.",
            {
                "on_order": "units on draft and approved purchase orders",
                "free_space": "units that can still be ordered",
            },
        ),
        tools.create(
            "create_purchase_order",
            f"Draft a purchase order for units of the given {noun}, at its unit cost. Refused when units on hand, on open "
            "orders and on this one would exceed the shelf's capacity.",
            {key: tools.host_key(f"The {noun} to order."), "quantity": quantity},
            to="draft",
            refusals=["not_found", "invalid_argument", "exceeds_capacity"],
        ),
        *_order_changes(tools, quantity),
    ]


def _order_changes(tools: WriteTools, quantity: Schema) -> list[Tool]:
    """Return the tools that move a purchase order through its life."""
    return [
        tools.transition("approve_purchase_order", "approve", "Approve a draft purchase order.", ["draft"], "approved"),
        tools.transition(
            "receive_purchase_order",
            "receive",
            "Receive an approved purchase order: its units are added to those on hand.",
            ["approved"],
            "received",
        ),
        tools.transition(
            "cancel_purchase_order", "cancel", "Cancel a draft or approved purchase order.", list(OPEN), "cancelled"
        ),
        tools.update(
            "change_order_quantity",
            "change_quantity",
            "Change the quantity of a draft purchase order. Refused when the shelf cannot take so many.",
            {"quantity": quantity},
            ["draft"],
            refusals=["invalid_argument", "exceeds_capacity"],
        ),
    ]
