"""Rows of sessions, simulated: past and coming ones, attendees with a level, and who is enrolled, waits or came."""

from __future__ import annotations

from random import Random
from typing import Any

from tasks.authors.rules.overlays.clauses import numbered
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import day_after, session_titles
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row
from tasks.authors.rules.overlays.vocabulary import person_names

SESSION_STATUSES = ("scheduled", "held", "called off")
STATUSES = ("enrolled", "waiting", "attended", "withdrawn")
SESSIONS_SEEDED = 150
ATTENDEES = 160
SEEDED_ENROLMENTS = 400
MOST_ENROLMENTS = 4


def simulate_attendees(rng: Random) -> list[Row]:
    """Simulate attendees, fewer of the higher levels."""
    names = person_names(rng, ATTENDEES)
    rows = [{"attendee_name": name, "level": rng.choices((1, 2, 3), (55, 30, 15))[0]} for name in names]
    return numbered("attendee_id", [{**row, "sessions_attended": rng.choice((0, 0, 1, 2, 3))} for row in rows])


def simulate_sessions(rng: Random, key: str, popular: Popularity, start: str) -> list[Row]:
    """Simulate sessions of the last months and the coming weeks; some of yesterday still wait to be marked as held."""
    titles = session_titles(rng)
    rows: list[dict[str, Any]] = []
    for number in range(SESSIONS_SEEDED):
        days = rng.randint(2, 60) if number % 2 else -rng.randint(0, 80)
        status = rng.choices(SESSION_STATUSES, (92, 0, 8) if days > 0 else (35, 55, 10))[0]
        row = {key: popular.draw(rng), "title": titles[number], "held_on": day_after(start, days), "status": status}
        rows.append({**row, "level": rng.choices((1, 2, 3), (40, 35, 25))[0], "places": rng.choice((3, 4, 6, 10, 15))})
    rows.sort(key=lambda row: (row["held_on"], row["title"]))
    return numbered("session_id", rows)


def simulate_enrolments(rng: Random, sessions: list[Row], attendees: list[Row], start: str) -> list[Row]:
    """Simulate enrolments of attendees with the level; some sessions are full, with people waiting."""
    places = {session["session_id"]: session["places"] for session in sessions}
    ahead = dict.fromkeys(range(1, ATTENDEES + 1), MOST_ENROLMENTS)
    rows: list[dict[str, Any]] = []
    pairs: set[tuple[int, int]] = set()
    for _ in range(SEEDED_ENROLMENTS):
        session = sessions[
            max(rng.randrange(SESSIONS_SEEDED), rng.randrange(SESSIONS_SEEDED)) // 2 + SESSIONS_SEEDED // 4
        ]
        attendee = attendees[min(rng.randrange(ATTENDEES), rng.randrange(ATTENDEES))]
        pair = session["session_id"], attendee["attendee_id"]
        if pair in pairs or attendee["level"] < session["level"]:
            continue
        pairs.add(pair)
        status = {"held": rng.choice(("attended", "attended", "withdrawn")), "called off": "withdrawn"}.get(
            session["status"]
        )
        if status is None:
            full = not places[pair[0]] or not ahead[pair[1]]
            status = (
                ("waiting" if not places[pair[0]] else "withdrawn") if full else rng.choices(STATUSES, (86, 6, 0, 8))[0]
            )
        if status == "enrolled":
            places[pair[0]] -= 1
            ahead[pair[1]] -= 1
        attendee["sessions_attended"] += status == "attended"
        rows.append({"session_id": pair[0], "attendee_id": pair[1], "status": status})
    moments = moments_before(start, 120, [rng.random() for _ in rows])
    return numbered("enrolment_id", [{**row, "enrolled_at": at} for row, at in zip(rows, moments, strict=True)])
