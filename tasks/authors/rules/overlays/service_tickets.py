"""Service tickets about a host that is a place (ball parks): repair crews, and tickets about what is broken there.

open → assigned → resolved; open and assigned tickets can be cancelled, resolved and cancelled
ones reopened.
"""

from __future__ import annotations

from schemas.profiles import WorldProfile
from tasks.authors.rules.overlays.casework import ActionText, Cases, Casework, Workers
from tasks.authors.rules.overlays.hosts import is_place, mined_tables, rated
from tasks.authors.rules.overlays.vocabulary import crew_names, ticket_subjects

CREWS_A_TRADE = 3

TICKETS = Casework(
    name="service_tickets",
    cases=Cases(
        table="tickets",
        singular="ticket",
        plural="tickets",
        key="ticket_id",
        key_words="ticket number",
        moment="opened_at",
        moment_words="time of opening",
        waiting="open",
        done="resolved",
        withdrawn="cancelled",
    ),
    workers=Workers(
        table="crews",
        singular="crew",
        plural="crews",
        key="crew_id",
        key_words="crew number",
        name="crew_name",
        name_words="crew name",
        field="trade",
        field_words="trade",
        pronoun="it",
        figures=("open", "free"),
        limit_words="ticket limit",
    ),
    full="crew_full",
    texts={
        "view": ActionText(
            "get_crew_workload",
            "Tell how many tickets a crew can have assigned at a time, how many it has, and how many more it can take.",
        ),
        "open": ActionText(
            "open_ticket",
            "Open a service ticket about a problem at a {host}.",
            requests=("report “{subject}” at {host} with {priority} priority",),
        ),
        "assign": ActionText(
            "assign_ticket",
            "Assign an open ticket to a crew, or an assigned one to another crew. Refused when the crew has all it can take.",
            requests=("assign {row} to {worker}", "hand {row} over to {worker}"),
        ),
        "resolve": ActionText("resolve_ticket", "Resolve an assigned ticket.", requests=("mark {row} as resolved",)),
        "reopen": ActionText(
            "reopen_ticket",
            "Reopen a resolved or cancelled ticket; no crew is assigned to it then.",
            requests=("reopen {row}",),
        ),
        "cancel": ActionText("cancel_ticket", "Cancel an open or assigned ticket.", requests=("cancel {row}",)),
        "set_priority": ActionText(
            "set_ticket_priority",
            "Change the priority of an open or assigned ticket.",
            requests=("set {row} to {priority} priority",),
        ),
    },
    arguments={
        "host": "The {host} with the problem.",
        "subject": "What is wrong, and where.",
        "priority": "Priority of the ticket.",
        "worker": "The crew to assign.",
    },
    figures=(
        ("tickets assigned to the crew and not resolved", "tickets in hand"),
        ("tickets that the crew can still take", "tickets that can still be taken"),
    ),
    vocabulary="ticket_subjects",
    draw_workers=lambda rng: crew_names(rng, CREWS_A_TRADE),
    draw_subjects=ticket_subjects,
)


def _hosts(profile: WorldProfile) -> list[tuple[str, float]]:
    """Return the named places, of any number."""
    return rated(profile, [t for t in mined_tables(profile, fewest=1) if t.label and is_place(t)], lambda table: 1.0)


SERVICE_TICKETS = TICKETS.archetype(_hosts)
