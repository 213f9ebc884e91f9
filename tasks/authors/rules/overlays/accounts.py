"""Accounts held by people or organisations: balances in whole dollars, an overdraft limit, and a ledger of entries.

open ⇄ frozen; an empty open account can be closed. Every movement is an entry, a transfer is two; an account's balance
is the sum of its entries and never falls below the overdraft limit. A holder has one account of a kind.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Argument, Change, Guard, Insert, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    choice,
    create,
    find,
    fixed,
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
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column

KINDS = ("equipment", "events", "everyday spending", "reserves", "savings", "travel")
STATUSES = ("open", "frozen", "closed")
ENTRY_KINDS = ("deposit", "withdrawal", "transfer in", "transfer out")
SEEDED_ACCOUNTS = 170
SEEDED_ENTRIES = 400
FITS = {"organisation": 0.8, "person": 0.7, "place": 0.35}
OWN_NAMES = {
    *("account", "account_id", "account_kind", "balance", "overdraft_limit", "status", "opened_at", "holder"),
    *("other", "to_account_id", "amount", "account_entry", "entry_id", "entry_kind", "entered_at", "credit"),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return accounts of `host` and their entries, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"accounts:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    accounts = _accounts(rng, key, Popularity(rng, profile, frames, host), start)
    entries = _entries(rng, accounts, start)
    parts = _parts(table, key, accounts, entries)
    account, entry = (each.table for each in parts)
    actions = (
        _open(table, key, account),
        _deposit(account, entry),
        _withdraw(account, entry),
        _transfer(account),
        *_lifecycle(account),
        _change_overdraft(account),
    )
    return overlay_of("accounts", table, key, parts, (_statement(),), actions)


def _accounts(rng: Random, key: str, popular: Popularity, start: str) -> list[Row]:
    """Simulate accounts, one of a kind for a holder."""
    held: set[tuple[Any, str]] = set()
    rows: list[Row] = []
    for _ in range(SEEDED_ACCOUNTS * 4):
        pair = popular.draw(rng), rng.choice(KINDS)
        if pair in held or len(rows) == SEEDED_ACCOUNTS:
            continue
        held.add(pair)
        row = {
            key: pair[0],
            "account_kind": pair[1],
            "balance": 0,
            "overdraft_limit": rng.choice((0, 0, 200, 500, 1000)),
        }
        rows.append({**row, "status": rng.choices(STATUSES, (80, 12, 8))[0]})
    moments = moments_before(start, 900, [rng.random() for _ in rows])
    return clauses.numbered("account_id", [{**row, "opened_at": at} for row, at in zip(rows, moments, strict=True)])


def _entries(rng: Random, accounts: list[Row], start: str) -> list[Row]:
    """Simulate movements from small to large; what an account cannot pay is not taken from it."""
    rows: list[Row] = []

    def enter(account: Row, kind: str, amount: int) -> None:
        account["balance"] += amount
        rows.append({"account_id": account["account_id"], "entry_kind": kind, "amount": amount})

    alive = [account for account in accounts if account["status"] != "closed"]
    # Every sixth was never used.
    alive = [account for place, account in enumerate(alive) if place % 6 != 5]
    for account in alive:
        enter(account, "deposit", rng.randint(3, 40) * 50)
    while len(rows) < SEEDED_ENTRIES and alive:
        account, other, amount = rng.choice(alive), rng.choice(alive), rng.randint(2, 60) * 10
        affordable = account["balance"] + account["overdraft_limit"] >= amount
        if not affordable or rng.random() < 0.3:
            enter(account, "deposit", amount)
        elif rng.random() < 0.5 or account is other:
            enter(account, "withdrawal", -amount)
        else:
            enter(account, "transfer out", -amount)
            enter(other, "transfer in", amount)
    for account in alive[::4]:
        target = -(account["overdraft_limit"] // 2)
        if account["overdraft_limit"] and account["balance"] > target:
            enter(account, "withdrawal", target - account["balance"])
    moments = moments_before(start, 200, [rng.random() for _ in rows])
    return clauses.numbered("entry_id", [{**row, "entered_at": at} for row, at in zip(rows, moments, strict=True)])


def _parts(host: TableProfile, key: str, accounts: list[Row], entries: list[Row]) -> list[Part]:
    held = [
        clauses.key("account_id", "account number"),
        host_column(host, "reference", key),
        clauses.category("account_kind", "kind of account", KINDS),
        clauses.count("balance", "balance", "dollars"),
        clauses.count("overdraft_limit", "overdraft limit", "dollars"),
        clauses.category("status", "account status", STATUSES),
        clauses.moment("opened_at", "time of opening"),
    ]
    entered = [
        clauses.key("entry_id", "entry number"),
        clauses.refers("account_id", "account number"),
        clauses.category("entry_kind", "kind of entry", ENTRY_KINDS),
        clauses.count("amount", "amount", "dollars"),
        clauses.moment("entered_at", "time of entry"),
    ]
    limits = ("overdraft_limit >= 0", "balance + overdraft_limit >= 0", "status <> 'closed' OR balance = 0")
    names = ("accounts", "account", "accounts")
    account = part(names, held, accounts, refers={key: host}, checks=limits)
    names = ("account_entries", "account entry", "account entries")
    signs = "(amount > 0) = (entry_kind IN ('deposit', 'transfer in')) AND amount <> 0"
    return [account, part(names, entered, entries, refers={"account_id": account.table}, checks=(signs,))]


def _statement() -> View:
    mine = {"account_id": cell("row", "account_id")}
    paid_in = total_of("account_entries", "amount", {**mine, "entry_kind": ("deposit", "transfer in")})
    return View(
        name="get_account_statement",
        table="accounts",
        description="Tell an account's balance and overdraft limit, what it can still pay, and what was paid in and how often used.",
        figures=(
            clauses.figure(
                "can_pay", plus(cell("row", "balance"), cell("row", "overdraft_limit")), "dollars it can still pay"
            ),
            clauses.figure("paid_in", paid_in, "dollars paid in"),
            clauses.figure("entries", number_of("account_entries", mine), "entries"),
        ),
    )


def _open(host: TableProfile, key: str, account: TableProfile) -> Action:
    noun = host.singular
    same = {key: given(key), "account_kind": given("account_kind"), "status": ("open", "frozen")}
    return create(
        "open_account",
        account,
        f"Open an account of a kind for a {noun}, without money. Refused when there is one of that kind.",
        arguments=(
            key_argument(host, f"The {noun} that holds it.", key),
            choice("account_kind", "Kind of account.", KINDS),
            clauses.drawn(whole_number("overdraft_limit", "Dollars that it may be overdrawn by.", 0, 5000), "amounts"),
        ),
        finds=(find("holder", host.name, given(key)),),
        guards=(no_rows_of("accounts", same, "has_account", "There is {0} account of that kind already."),),
        values={
            key: given(key),
            "account_kind": given("account_kind"),
            "balance": fixed(0),
            "overdraft_limit": given("overdraft_limit"),
            "status": fixed("open"),
            "opened_at": now(),
        },
        requests=(
            f"open an account for {{account_kind}} in the name of {{{key}}}, with an overdraft limit of {{overdraft_limit}} dollars",
            f"give {{{key}}} an account for {{account_kind}} that can be overdrawn by {{overdraft_limit}} dollars",
        ),
    )


def _is_open(account: TableProfile, bind: str = "account") -> Guard:
    return must_be(account, ("open",), "account_not_open", bind=bind, so="no money can be moved")


def _can_pay() -> Guard:
    left = plus(cell("account", "balance"), cell("account", "overdraft_limit"))
    return at_most(given("amount"), left, "overdrawn", "{0} dollars were asked for, but it can pay only {1}.")


def _amount() -> Argument:
    return clauses.drawn(whole_number("amount", "Whole dollars.", most=100000), "amounts")


def _entered(account: Value, kind: str, amount: Value) -> dict[str, Value]:
    return {"account_id": account, "entry_kind": fixed(kind), "amount": amount, "entered_at": now()}


def _moved(bind: str, amount: Value) -> Change:
    return set_to(bind, balance=plus(cell(bind, "balance"), amount))


def _deposit(account: TableProfile, entry: TableProfile) -> Action:
    return create(
        "deposit",
        entry,
        "Pay money into an open account.",
        arguments=(key_argument(account, "The account."), _amount()),
        finds=(find("account", "accounts", given("account_id")),),
        guards=(_is_open(account),),
        values=_entered(given("account_id"), "deposit", given("amount")),
        after=(_moved("account", given("amount")),),
        requests=("pay {amount} dollars into {account_id}", "deposit {amount} dollars in {account_id}"),
    )


def _withdraw(account: TableProfile, entry: TableProfile) -> Action:
    less = minus(fixed(0), given("amount"))
    return create(
        "withdraw",
        entry,
        "Take money out of an open account. Refused beyond its balance and overdraft limit.",
        arguments=(key_argument(account, "The account."), _amount()),
        finds=(find("account", "accounts", given("account_id")),),
        guards=(_is_open(account), _can_pay()),
        values=_entered(given("account_id"), "withdrawal", less),
        after=(_moved("account", less),),
        requests=("take {amount} dollars out of {account_id}", "withdraw {amount} dollars from {account_id}"),
    )


def _transfer(account: TableProfile) -> Action:
    less = minus(fixed(0), given("amount"))
    into = key_argument(account, "The account that receives it.", "to_account_id")
    return Action(
        name="transfer",
        verb="update",
        table="accounts",
        description="Move money from one open account to another: an entry in each. Refused beyond balance and overdraft limit.",
        arguments=(own_key(account), into, _amount()),
        finds=(
            find("account", "accounts", given("account_id")),
            find("other", "accounts", given("to_account_id")),
        ),
        guards=(
            require(given("account_id"), "!=", given("to_account_id"), "same_account", "Both are account {0}."),
            _is_open(account),
            _is_open(account, "other"),
            _can_pay(),
        ),
        effects=(
            Insert(
                bind="account_entry",
                table="account_entries",
                values=_entered(given("account_id"), "transfer out", less),
            ),
            Insert(
                bind="credit",
                table="account_entries",
                values=_entered(given("to_account_id"), "transfer in", given("amount")),
            ),
            _moved("account", less),
            _moved("other", given("amount")),
        ),
        returns="account",
        requests=(
            "transfer {amount} dollars from {row} to {to_account_id}",
            "move {amount} dollars out of {row} into {to_account_id}",
        ),
    )


def _lifecycle(account: TableProfile) -> tuple[Action, ...]:
    """Return the actions that freeze, release and close an account."""
    empty = require(cell("account", "balance"), "==", fixed(0), "balance_left", "Its balance is {0} dollars, not {1}.")
    moves: tuple[tuple[str, str, str, str, str, tuple[Guard, ...]], ...] = (
        ("freeze", "Freeze an open account: no money can be moved.", "open", "frozen", "frozen", ()),
        ("release", "Open a frozen account again.", "frozen", "open", "released", ()),
        ("close", "Close an open account. Refused unless its balance is nil.", "open", "closed", "closed", (empty,)),
    )
    return tuple(
        transition(
            f"{verb}_account",
            account,
            description,
            source=(source,),
            to=to,
            done=done,
            guards=guards,
            requests=(f"{verb} {{row}}", f"see to it that {{row}} is {done}"),
        )
        for verb, description, source, to, done, guards in moves
    )


def _change_overdraft(account: TableProfile) -> Action:
    left = plus(cell("account", "balance"), given("overdraft_limit"))
    return update(
        "change_overdraft_limit",
        account,
        "Change by how much an open account may be overdrawn. Refused below what it is overdrawn by.",
        source=("open",),
        arguments=(clauses.drawn(whole_number("overdraft_limit", "Dollars.", 0, 5000), "amounts"),),
        guards=(
            require(
                left, ">=", fixed(0), "already_overdrawn", "With that limit it would be {0} dollars over, not {1}."
            ),
        ),
        requests=(
            "set the overdraft limit of {row} to {overdraft_limit} dollars",
            "let {row} be overdrawn by {overdraft_limit} dollars",
        ),
    )


ACCOUNTS = Archetype("accounts", _propose, lambda profile: rank(profile, FITS, fewest=8))
