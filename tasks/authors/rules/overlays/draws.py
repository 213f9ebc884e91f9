"""Draws: what an argument may be where it is neither a key nor one of a few choices.

`Argument.draws` names one of DRAWS; requests state a drawn value, tests try several.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tasks.authors.rules.overlays.vocabulary import PLACES, group_names, person_names, review_subjects, ticket_subjects
from tasks.mining.entities.drawing import draw_value

ENTITIES = "entities."
VOCABULARY = Path(__file__).parent / "vocabulary.toml"
Draw = Callable[[Random, str], Any]
"""Draws a value; the second argument is the world's clock start, YYYY-MM-DDTHH:MM:SS."""


@cache
def vocabulary(name: str) -> tuple[str, ...]:
    """Return a list of vocabulary.toml, as it stands there; KeyError when there is none."""
    return tuple(tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))[name])


def draw(name: str, rng: Random, start: str) -> Any:
    """Draw one value; KeyError for a name that is none of DRAWS. 'entities.…' is a value of an entity's field."""
    if name.startswith(ENTITIES):
        return draw_value(name.removeprefix(ENTITIES), rng, start)
    return DRAWS[name](rng, start)


def pairs(rng: Random, pattern: str, first: str, second: str) -> list[str]:
    """Return every pair of two vocabularies once as the pattern says ('{0} for {1}'), in drawn order."""
    texts = [pattern.format(one, other) for one in vocabulary(first) for other in vocabulary(second)]
    rng.shuffle(texts)
    return texts


def collection_names(rng: Random) -> list[str]:
    """Return all names of lists, in drawn order (180)."""
    return pairs(rng, "{0} {1}", "collection_subjects", "collection_kinds")


def placed_collection_names(rng: Random) -> list[str]:
    """Return names of lists of people from some place, in drawn order (96)."""
    names = [f"{place} {kind}" for place in PLACES for kind in vocabulary("collection_kinds")]
    rng.shuffle(names)
    return names


def spending_purposes(rng: Random) -> list[str]:
    """Return all purposes of spending, in drawn order (266)."""
    return pairs(rng, "{0}, {1}", "purposes_of_spending", "quarters")


def session_titles(rng: Random) -> list[str]:
    """Return all titles of sessions, in drawn order (225)."""
    return pairs(rng, "{0} for {1}", "session_formats", "session_hosts")


def day_after(start: str, days: int) -> str:
    """Return the date so many days after the clock's first reading (before it, when negative)."""
    return (date.fromisoformat(start[:10]) + timedelta(days=days)).isoformat()


def _among(*values: Any) -> Draw:
    return lambda rng, _: rng.choice(values)


def _listed(name: str) -> Draw:
    return lambda rng, _: rng.choice(vocabulary(name))


def _days(first: int, last: int) -> Draw:
    return lambda rng, start: day_after(start, rng.randint(first, last))


DRAWS: dict[str, Draw] = {
    "people": lambda rng, _: person_names(rng, 1)[0],
    "groups": lambda rng, _: group_names(rng)[0],
    "ticket_subjects": lambda rng, _: ticket_subjects(rng)[0][0],
    "review_subjects": lambda rng, _: review_subjects(rng)[0][0],
    "comments": _listed("comments"),
    "report_reasons": _listed("report_reasons"),
    "duty_tasks": _listed("duty_tasks"),
    "goods_sent": _listed("goods_sent"),
    "collection_names": lambda rng, _: rng.choice((collection_names, placed_collection_names))(rng)[0],
    "spending_purposes": lambda rng, _: spending_purposes(rng)[0],
    "session_titles": lambda rng, _: session_titles(rng)[0],
    "coming_days": _days(3, 60),
    "amounts": _among(40, 60, 75, 90, 120, 150, 180, 240, 300, 350, 420, 500, 600, 750, 900),
    "small_counts": _among(1, 2, 3, 4, 5),
    "hours": _among(2, 3, 4, 5, 6, 8),
    "places": _among(8, 10, 12, 15, 20, 25, 30),
    "weights": _among(40, 60, 80, 120, 150, 200, 250, 320, 400, 500),
    "readings": _among(12, 15, 18, 21, 24, 27, 33, 36, 42, 48, 51, 57, 63, 72, 84),
}
