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
from schemas.operations import Action, Argument, Change, Figure, Guard, Operations, Tally, Value, View
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    create,
    find,
    fixed,
    given,
    key_argument,
    minus,
    now,
    plus,
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.hosts import is_dated, mined_tables, rated
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)

STATUSES = ("draft", "approved", "received", "cancelled")
OPEN = ("draft", "approved")
SEEDED_ORDERS = 320
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
"""Columns, arguments and rows of the actions, which the host's column must not be called like."""


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


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return the stock levels and the purchase orders of `host`, simulated with `seed` and dated before `start`."""
    table = profile.table(host)
    rng = Random(f"purchase_orders:{host}:{seed}")
    host_key = host_column_name(table, OWN_NAMES)
    stock = _stock_levels(rng, host_key, _costs(profile, frames, host))
    orders = _orders(rng, host_key, stock, start)
    tables = [_stock_profile(table, host_key, stock), _orders_profile(table, host_key, orders)]
    return Overlay(
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
        operations=Operations(
            archetype="purchase_orders",
            host=host,
            host_key=host_key,
            tables={name: name for name in ("stock_levels", "purchase_orders")},
            views=(_stock_level(table, host_key),),
            actions=(
                _create(table, tables[1], host_key),
                *_lifecycle(tables[1], host_key),
                _resize(tables[1], host_key),
            ),
        ),
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
    for position in range(SEEDED_ORDERS):
        recent = position >= SEEDED_ORDERS // 2
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


def _stock_level(host: TableProfile, host_key: str) -> View:
    """Return the view of a shelf."""
    on_order = _on_order(host_key, cell("row", host_key))
    return View(
        name="get_stock_level",
        table="stock_levels",
        description=f"Tell how many units of the given {host.singular} are on hand, on open purchase orders (draft or "
        "approved), and how many more the shelf can take; with its reorder point, shelf capacity and unit cost.",
        figures=(
            Figure(
                name="on_order",
                value=on_order,
                description="units on draft and approved purchase orders",
                words="units on order",
            ),
            Figure(
                name="free_space",
                value=_free_space("row", on_order),
                description="units that can still be ordered",
                words="free shelf space",
            ),
        ),
    )


def _on_order(host_key: str, host: Value, besides: str | None = None) -> Tally:
    """Return the units on a host's open orders."""
    return total_of("purchase_orders", "quantity", {host_key: host, "status": OPEN}, besides)


def _free_space(stock: str, on_order: Value) -> Value:
    """Return what the shelf of the stock level `stock` can still take."""
    return minus(minus(cell(stock, "shelf_capacity"), cell(stock, "on_hand")), on_order)


def _fits_the_shelf(host_key: str, besides: str | None = None) -> Guard:
    """Require that the shelf whose stock level was found has space for the quantity."""
    on_order = _on_order(host_key, cell("stock", host_key), besides)
    return at_most(
        given("quantity"),
        _free_space("stock", on_order),
        "exceeds_capacity",
        "{0} units were asked for, but the shelf can take {1} more.",
    )


def _quantity() -> Argument:
    return whole_number("quantity", "Number of units.")


def _create(host: TableProfile, orders: TableProfile, host_key: str) -> Action:
    """Return the action that drafts an order."""
    return create(
        "create_purchase_order",
        orders,
        f"Draft a purchase order for units of the given {host.singular}, at its unit cost. Refused when units on hand, on "
        "open orders and on this one would exceed the shelf's capacity.",
        arguments=(key_argument(host, f"The {host.singular} to order.", host_key), _quantity()),
        finds=(find("stock", "stock_levels", given(host_key)),),
        guards=(_fits_the_shelf(host_key),),
        values={
            host_key: given(host_key),
            "quantity": given("quantity"),
            "unit_cost": cell("stock", "unit_cost"),
            "status": fixed("draft"),
            "created_at": now(),
        },
        requests=(
            f"order {{quantity}} copies of {{{host_key}}}",
            f"place an order for {{quantity}} copies of {{{host_key}}}",
        ),
    )


def _lifecycle(orders: TableProfile, host_key: str) -> tuple[Action, ...]:
    """Return the actions that move an order through its life."""
    received = plus(cell("stock", "on_hand"), cell("purchase_order", "quantity"))
    return (
        transition(
            "approve_purchase_order",
            orders,
            "Approve a draft purchase order.",
            source=("draft",),
            to="approved",
            requests=("approve {row}",),
        ),
        transition(
            "receive_purchase_order",
            orders,
            "Receive an approved purchase order: its units are added to those on hand.",
            source=("approved",),
            to="received",
            finds=(find("stock", "stock_levels", cell("purchase_order", host_key)),),
            before=(Change(row="stock", values={"on_hand": received}),),
            requests=("book in the delivery for {row}",),
        ),
        transition(
            "cancel_purchase_order",
            orders,
            "Cancel a draft or approved purchase order.",
            source=OPEN,
            to="cancelled",
            requests=("cancel {row}",),
        ),
    )


def _resize(orders: TableProfile, host_key: str) -> Action:
    """Return the action that changes what is ordered."""
    return update(
        "change_order_quantity",
        orders,
        "Change the quantity of a draft purchase order. Refused when the shelf cannot take so many.",
        source=("draft",),
        arguments=(_quantity(),),
        finds=(find("stock", "stock_levels", cell("purchase_order", host_key)),),
        guards=(_fits_the_shelf(host_key, besides="purchase_order"),),
        requests=("change {row} to {quantity} copies",),
    )


def _hosts(profile: WorldProfile) -> list[tuple[str, float]]:
    """Return the named things with a price; what has a price of its own comes before what is made of priced parts."""
    sold = [t for t in mined_tables(profile) if t.label and t.kind == "reference" and not is_dated(t)]
    priced = [t for t in sold if price_source(profile, t.name)]
    return rated(profile, priced, lambda t: 1.0 if (price_source(profile, t.name) or ("",))[0] == t.name else 0.8)


PURCHASE_ORDERS = Archetype("purchase_orders", _propose, _hosts)
