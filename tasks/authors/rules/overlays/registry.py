"""All archetypes, by name: first those that begin a world, then those that rounds add."""

from __future__ import annotations

from tasks.authors.rules.overlays.accounts import ACCOUNTS
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.bookings import BOOKINGS
from tasks.authors.rules.overlays.budgets import BUDGETS
from tasks.authors.rules.overlays.curated_lists import COLLECTIONS
from tasks.authors.rules.overlays.duties import DUTIES
from tasks.authors.rules.overlays.loans import LOANS
from tasks.authors.rules.overlays.measurements import MEASUREMENTS
from tasks.authors.rules.overlays.purchase_orders import PURCHASE_ORDERS
from tasks.authors.rules.overlays.ratings import RATINGS
from tasks.authors.rules.overlays.review_requests import REVIEW_REQUESTS
from tasks.authors.rules.overlays.sales_orders import SALES_ORDERS
from tasks.authors.rules.overlays.service_tickets import SERVICE_TICKETS
from tasks.authors.rules.overlays.sessions import SESSIONS
from tasks.authors.rules.overlays.subscriptions import SUBSCRIPTIONS

ARCHETYPES: dict[str, Archetype] = {
    archetype.name: archetype
    for archetype in (
        *(BOOKINGS, PURCHASE_ORDERS, SERVICE_TICKETS, REVIEW_REQUESTS),
        *(ACCOUNTS, BUDGETS, COLLECTIONS, DUTIES, LOANS, MEASUREMENTS, RATINGS, SALES_ORDERS, SESSIONS, SUBSCRIPTIONS),
    )
}
