"""Sales orders over things with a price: a shop's stock, buyers with a credit limit, orders and their lines.

open → paid → shipped → returned; an empty open order can be cancelled. A line takes its units from the shop's
stock and adds its price to the order; a buyer's open orders together never exceed the credit limit.
"""

from __future__ import annotations

from random import Random

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Effect, Guard, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    create,
    delete,
    find,
    fixed,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    plus,
    times,
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import kinds_of, possible_hosts, rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.prices import prices_of
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.purchase_orders import price_source
from tasks.authors.rules.overlays.sales_rows import (
    MOST_OPEN,
    STATUSES,
    simulate_buyers,
    simulate_items,
    simulate_orders,
)

RETURN_DAYS = 30
FITS = {"goods": 0.8, "work": 0.55, "equipment": 0.4}
PRICED = 0.95
SOLD = {*FITS, "thing", "living"}
OWN_NAMES = {
    *("buyer", "buyer_id", "buyer_name", "credit_limit", "shop_item", "unit_price", "in_stock", "sales_order"),
    *("sales_order_id", "total", "status", "shipped_on", "placed_at", "order_line", "line_id", "quantity"),
}
THIS_ORDER = cell("sales_order", "sales_order_id")
LINE_QUANTITY = cell("order_line", "quantity")


def _hosts(profile: WorldProfile) -> list[tuple[str, float]]:
    """Return the named tables with a price, then goods and works without one."""
    found = {name: score for name, score in rank(profile, FITS) if profile.table(name).label}
    for table in possible_hosts(profile):
        source = price_source(profile, table.name)
        if source is not None and table.label and table.rows > 1 and kinds_of(table) & SOLD:
            found[table.name] = PRICED if source[0] == table.name else PRICED - 0.1
    return sorted(found.items(), key=lambda pair: -pair[1])


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return the shop over `host`, simulated with `seed`: stock, buyers, orders, lines."""
    table = profile.table(host)
    rng = Random(f"sales_orders:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    popular, prices = Popularity(rng, profile, frames, host), prices_of(rng, profile, frames, host)
    items = simulate_items(rng, key, {value: prices[value] for value in popular.listed})
    orders, lines = simulate_orders(rng, key, items, popular, start)
    parts = _parts(table, key, items, simulate_buyers(rng, orders), orders, lines)
    item, buyer, order, line = (each.table for each in parts)
    actions = (
        _open(buyer, order),
        *_lifecycle(order),
        _add_line(table.singular, item, key, order, line),
        *_line_changes(key, order, line),
    )
    return overlay_of("sales_orders", table, key, parts, (_standing(), _shop_item(table, key)), actions)


def _parts(
    host: TableProfile, key: str, items: list[Row], buyers: list[Row], orders: list[Row], lines: list[Row]
) -> list[Part]:
    stocked = [
        host_column(host, "key", key),
        clauses.money("unit_price", "unit price"),
        clauses.count("in_stock", "units in stock", "units"),
    ]
    named = [
        clauses.key("buyer_id", "buyer number"),
        clauses.label("buyer_name", "buyer name"),
        clauses.money("credit_limit", "credit limit"),
    ]
    ordered = [
        clauses.key("sales_order_id", "sales order number"),
        clauses.refers("buyer_id", "buyer number"),
        clauses.money("total", "order total"),
        clauses.category("status", "order status", STATUSES),
        clauses.day("shipped_on", "shipping date", nullable=True),
        clauses.moment("placed_at", "time of ordering"),
    ]
    listed = [
        clauses.key("line_id", "order line number"),
        clauses.refers("sales_order_id", "sales order number"),
        host_column(host, "reference", key),
        clauses.count("quantity", "quantity", "units"),
        clauses.money("unit_price", "price per unit"),
    ]
    opaque, positive = host.key_is_opaque, ("unit_price >= 0", "in_stock >= 0")
    names = ("shop_items", "shop item", "shop items")
    item = part(names, stocked, items, refers={key: host}, checks=positive, opaque=opaque)
    names = ("buyers", "buyer", "buyers")
    buyer = part(names, named, buyers, label="buyer_name", checks=("credit_limit >= 0",))
    sent = "shipped_on IS NOT NULL OR status NOT IN ('shipped', 'returned')"
    names = ("sales_orders", "sales order", "sales orders")
    order = part(names, ordered, orders, refers={"buyer_id": buyer.table}, checks=("total >= 0", sent))
    names = ("order_lines", "order line", "order lines")
    references = {"sales_order_id": order.table, key: host}
    return [item, buyer, order, part(names, listed, lines, refers=references, checks=("quantity >= 1",))]


# --- What may be done ---------------------------------------------------------------------


def _standing() -> View:
    opened = number_of("sales_orders", {"buyer_id": cell("row", "buyer_id"), "status": ("open",)})
    left = minus(fixed(MOST_OPEN), opened)
    return View(
        name="get_buyer_standing",
        table="buyers",
        description="Tell a buyer's credit limit, how many sales orders they have open, and how many more they can open.",
        figures=(
            clauses.figure("open_orders", opened, "open sales orders"),
            clauses.figure("orders_left", left, "sales orders that can still be opened"),
        ),
    )


def _shop_item(host: TableProfile, key: str) -> View:
    on = {key: cell("row", key)}
    return View(
        name="get_shop_item",
        table="shop_items",
        description=f"Tell the price of a {host.singular} in the shop, its units in stock, and how many were ordered so far.",
        figures=(
            clauses.figure("ordered", total_of("order_lines", "quantity", on), "units ordered so far"),
            clauses.figure("lines", number_of("order_lines", on), "order lines for it"),
        ),
    )


def _open(buyer: TableProfile, order: TableProfile) -> Action:
    opened = number_of("sales_orders", {"buyer_id": given("buyer_id"), "status": ("open",)})
    return create(
        "open_sales_order",
        order,
        f"Open an empty sales order for a buyer. Refused when the buyer has {MOST_OPEN} open ones.",
        arguments=(key_argument(buyer, "The buyer who orders."),),
        finds=(find("buyer", "buyers", given("buyer_id")),),
        guards=(
            require(
                opened,
                "<",
                fixed(MOST_OPEN),
                "too_many_open_orders",
                "The buyer has {0} open sales orders; {1} are allowed.",
            ),
        ),
        values={
            "buyer_id": given("buyer_id"),
            "total": fixed(0.0),
            "status": fixed("open"),
            "shipped_on": fixed(None),
            "placed_at": now(),
        },
        requests=("open a sales order for {buyer_id}", "start a new sales order in the name of {buyer_id}"),
    )


def _lifecycle(order: TableProfile) -> tuple[Action, ...]:
    """Return the actions that move an order through its life."""
    texts = {
        "pay": "Record that an open sales order was paid. Refused when nothing is on it.",
        "ship": "Ship a paid sales order today.",
        "return": f"Take a shipped sales order back. Refused more than {RETURN_DAYS} days after shipping.",
        "cancel": "Cancel an open sales order. Refused while it has lines.",
    }
    moves: tuple[tuple[str, str, str, dict[str, Value], str], ...] = (
        ("pay", "open", "paid", {}, "book the payment for {row}"),
        ("ship", "paid", "shipped", {"shipped_on": now(0)}, "send {row} out"),
        ("return", "shipped", "returned", {}, "take {row} back"),
        ("cancel", "open", "cancelled", {}, "call {row} off"),
    )
    return tuple(
        transition(
            f"{verb}_sales_order",
            order,
            texts[verb],
            source=(source,),
            to=to,
            guards=_order_guards().get(verb, ()),
            values=values,
            requests=(way, f"mark {{row}} as {to}"),
        )
        for verb, source, to, values, way in moves
    )


def _order_guards() -> dict[str, tuple[Guard, ...]]:
    """Return what must hold to pay, return and cancel an order."""
    on_it = {"sales_order_id": THIS_ORDER}
    lines, shipped = number_of("order_lines", on_it), cell("sales_order", "shipped_on")
    nothing = "There is nothing to pay: the order has {0} lines."
    late = "It was shipped on {0}; only what was sent since {1} can come back."
    full = "The sales order still has {0} lines; remove them first."
    return {
        "pay": (require(lines, ">=", fixed(1), "empty_order", nothing),),
        "return": (require(shipped, ">=", now(-RETURN_DAYS), "too_late_to_return", late),),
        "cancel": (no_rows_of("order_lines", on_it, "order_has_lines", full),),
    }


def _add_line(noun: str, item: TableProfile, key: str, order: TableProfile, line: TableProfile) -> Action:
    price = times(cell("shop_item", "unit_price"), given("quantity"))
    return create(
        "add_order_line",
        line,
        f"Put a {noun} on an open sales order, at the shop's price. Refused when it is on the order already, "
        "when too few are in stock, or when the buyer's open orders would exceed the credit limit.",
        arguments=(
            key_argument(order, "The open sales order."),
            key_argument(item, f"The {noun} to put on it.", key),
            clauses.drawn(whole_number("quantity", "Number of units."), "small_counts"),
        ),
        finds=(
            find("sales_order", "sales_orders", given("sales_order_id")),
            find("buyer", "buyers", cell("sales_order", "buyer_id")),
            find("shop_item", "shop_items", given(key)),
        ),
        guards=(
            must_be(order, ("open",), "invalid_transition", so="nothing can be put on it"),
            no_rows_of(
                "order_lines",
                {"sales_order_id": given("sales_order_id"), key: given(key)},
                "already_on_order",
                f"The {noun} is on {{0}} line of the sales order already; change that line's quantity.",
            ),
            *_within_stock_and_credit(given("quantity"), price),
        ),
        values={
            "sales_order_id": given("sales_order_id"),
            key: given(key),
            "quantity": given("quantity"),
            "unit_price": cell("shop_item", "unit_price"),
        },
        after=_booked(given("quantity"), price),
        requests=(
            f"put {{quantity}} units of {{{key}}} on {{sales_order_id}}",
            f"add {{{key}}} to {{sales_order_id}}, {{quantity}} units of it",
        ),
    )


def _line_changes(key: str, order: TableProfile, line: TableProfile) -> tuple[Action, Action]:
    """Return the actions that change and remove an order's lines."""
    more = minus(given("quantity"), LINE_QUANTITY)
    dearer = times(cell("order_line", "unit_price"), more)
    fewer = minus(fixed(0), LINE_QUANTITY)
    open_order = must_be(order, ("open",), "invalid_transition", so="its lines cannot be changed")
    order_of_line = (
        find("sales_order", "sales_orders", cell("order_line", "sales_order_id")),
        find("shop_item", "shop_items", cell("order_line", key)),
    )
    change = update(
        "change_line_quantity",
        line,
        "Change the quantity on a line of an open sales order, within the stock and the buyer's credit limit.",
        arguments=(clauses.drawn(whole_number("quantity", "Number of units."), "small_counts"),),
        finds=(*order_of_line, find("buyer", "buyers", cell("sales_order", "buyer_id"))),
        guards=(open_order, *_within_stock_and_credit(more, dearer)),
        before=_booked(more, dearer),
        requests=("change {row} to {quantity} units", "set the quantity on {row} to {quantity}"),
    )
    remove = delete(
        "remove_order_line",
        line,
        "Take a line off an open sales order; its units go back into stock.",
        finds=order_of_line,
        guards=(open_order,),
        before=_booked(fewer, times(cell("order_line", "unit_price"), fewer)),
        requests=("take {row} off its order", "remove {row}"),
    )
    return change, remove


def _within_stock_and_credit(units: Value, price: Value) -> tuple[Guard, Guard]:
    """Require that so many more units are in stock, and that the buyer may owe so much more."""
    owed = total_of("sales_orders", "total", {"buyer_id": cell("buyer", "buyer_id"), "status": ("open",)})
    stocked = "{0} more units were asked for, but {1} are in stock."
    affordable = "The buyer's open orders would come to {0} dollars; the credit limit is {1}."
    return (
        at_most(units, cell("shop_item", "in_stock"), "out_of_stock", stocked),
        at_most(plus(owed, price), cell("buyer", "credit_limit"), "credit_exceeded", affordable),
    )


def _booked(units: Value, price: Value) -> tuple[Effect, Effect]:
    """Take units out of the stock and add their price to the order."""
    return (
        set_to("shop_item", in_stock=minus(cell("shop_item", "in_stock"), units)),
        set_to("sales_order", total=plus(cell("sales_order", "total"), price)),
    )


SALES_ORDERS = Archetype("sales_orders", _propose, _hosts)
