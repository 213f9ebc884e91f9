"""What each write does, in a person's words, with the values a person would state."""

from __future__ import annotations

import random
from typing import Any

from schemas.profiles import ColumnProfile
from tasks.authors.rules.overlays.casework import PRIORITIES
from tasks.authors.rules.overlays.vocabulary import person_names, review_subjects, ticket_subjects

WRITE_SENTENCES: dict[str, tuple[str, ...]] = {
    "create_booking": (
        "hold {seats} seats on {host} for {party}",
        "reserve {seats} seats on {host} in the name of {party}",
    ),
    "confirm_booking": ("confirm {row}",),
    "cancel_booking": ("cancel {row}",),
    "change_booking_seats": ("change {row} to {seats} seats", "set {row} to {seats} seats"),
    "move_booking": ("move {row} to {host}",),
    "create_purchase_order": ("order {quantity} copies of {host}", "place an order for {quantity} copies of {host}"),
    "approve_purchase_order": ("approve {row}",),
    "receive_purchase_order": ("book in the delivery for {row}",),
    "cancel_purchase_order": ("cancel {row}",),
    "change_order_quantity": ("change {row} to {quantity} copies",),
    "open_ticket": ("report “{subject}” at {host} with {priority} priority",),
    "assign_ticket": ("assign {row} to {worker}", "hand {row} over to {worker}"),
    "resolve_ticket": ("mark {row} as resolved",),
    "reopen_ticket": ("reopen {row}",),
    "cancel_ticket": ("cancel {row}",),
    "set_ticket_priority": ("set {row} to {priority} priority",),
    "request_review": (
        "file a review request “{subject}” about {host} with {priority} priority",
        "request a review of {host}: “{subject}”, {priority} priority",
    ),
    "assign_review_request": ("assign {row} to {worker}", "hand {row} over to {worker}"),
    "complete_review_request": ("mark {row} as done",),
    "reopen_review_request": ("reopen {row}",),
    "withdraw_review_request": ("withdraw {row}",),
    "set_review_priority": ("set {row} to {priority} priority",),
}
"""Tool name → ways to ask for it; {row} is the operational row, {host} what it is about."""

COUNTED = ColumnProfile(name="rows", type="integer", role="measure", nullable=False, distinct=0, words="number")
"""What a count is of."""

FIGURE_WORDS = {
    "booked": "seats already booked",
    "available": "seats still free",
    "on_order": "units on order",
    "free_space": "free shelf space",
    "open": "tickets in hand",
    "free": "tickets that can still be taken",
    "in_hand": "review requests in hand",
    "capacity_left": "review requests that can still be taken",
}
"""Figure of a status view → how a person calls it."""


def draw_values(tool: str, rng: random.Random) -> dict[str, Any]:
    """Draw the constants that a request for this write states."""
    match tool:
        case "create_booking":
            return {"party": person_names(rng, 1)[0], "seats": rng.randint(2, 6)}
        case "change_booking_seats":
            return {"seats": rng.randint(2, 6)}
        case "create_purchase_order" | "change_order_quantity":
            return {"quantity": rng.randint(2, 12)}
        case "open_ticket":
            return {
                "subject": rng.choice(ticket_subjects(rng))[0],
                "priority": rng.choice(PRIORITIES),
            }
        case "request_review":
            return {"subject": rng.choice(review_subjects(rng))[0], "priority": rng.choice(PRIORITIES)}
        case "set_ticket_priority" | "set_review_priority":
            return {"priority": rng.choice(("low", "high", "urgent"))}
    return {}
