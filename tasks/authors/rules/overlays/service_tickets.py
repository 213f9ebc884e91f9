"""Service tickets about a host that is a place (ball parks): repair crews, and tickets about what is broken there.

open → assigned → resolved; open and assigned tickets can be cancelled, resolved and cancelled
ones reopened.
"""

from __future__ import annotations

from tasks.authors.rules.overlays.casework import Cases, Casework, ToolText, Workers
from tasks.authors.rules.overlays.vocabulary import crew_names, ticket_subjects

CREWS_A_TRADE = 3

SERVICE_TICKETS = Casework(
    archetype="service_tickets",
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
        "view": ToolText(
            "get_crew_workload",
            "Tell how many tickets a crew can have assigned at a time, how many it has, and how many more it can take.",
        ),
        "open": ToolText("open_ticket", "Open a service ticket about a problem at a {host}."),
        "assign": ToolText(
            "assign_ticket",
            "Assign an open ticket to a crew, or an assigned one to another crew. Refused when the crew has all it can take.",
        ),
        "resolve": ToolText("resolve_ticket", "Resolve an assigned ticket."),
        "reopen": ToolText("reopen_ticket", "Reopen a resolved or cancelled ticket; no crew is assigned to it then."),
        "cancel": ToolText("cancel_ticket", "Cancel an open or assigned ticket."),
        "set_priority": ToolText("set_ticket_priority", "Change the priority of an open or assigned ticket."),
    },
    arguments={
        "host": "The {host} with the problem.",
        "subject": "What is wrong, and where.",
        "priority": "Priority of the ticket.",
        "worker": "The crew to assign.",
    },
    figure_texts=("tickets assigned to the crew and not resolved", "tickets that the crew can still take"),
    draw_workers=lambda rng: crew_names(rng, CREWS_A_TRADE),
    draw_subjects=ticket_subjects,
)
