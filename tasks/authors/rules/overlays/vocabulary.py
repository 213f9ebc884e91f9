"""Names and problems that people would use: the vocabulary of simulated operations."""

from __future__ import annotations

from random import Random

FIRST_NAMES = (
    "Adaeze",
    "Agnes",
    "Alejandro",
    "Amara",
    "Anders",
    "Anita",
    "Beatriz",
    "Bilal",
    "Camille",
    "Carlos",
    "Chiara",
    "Dalia",
    "Daniel",
    "Elena",
    "Emeka",
    "Esther",
    "Farid",
    "Fiona",
    "Gabriela",
    "Grace",
    "Hannah",
    "Hiroshi",
    "Imani",
    "Ingrid",
    "Ivan",
    "Jamal",
    "Julia",
    "Kenji",
    "Lars",
    "Leila",
    "Lucia",
    "Malik",
    "Marta",
    "Mei",
    "Miguel",
    "Nadia",
    "Niamh",
    "Noah",
    "Olga",
    "Omar",
    "Paula",
    "Pedro",
    "Priya",
    "Rahul",
    "Rosa",
    "Samuel",
    "Sofia",
    "Tariq",
    "Tomasz",
    "Yara",
)
LAST_NAMES = (
    "Abara",
    "Almeida",
    "Andersson",
    "Baptiste",
    "Becker",
    "Brennan",
    "Castillo",
    "Chen",
    "Costa",
    "Dahl",
    "Delgado",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Flores",
    "Fontaine",
    "Gallagher",
    "Garcia",
    "Haddad",
    "Hansen",
    "Ibrahim",
    "Iyer",
    "Jansen",
    "Kaminski",
    "Kapoor",
    "Kim",
    "Kovacs",
    "Laurent",
    "Lindqvist",
    "Lopez",
    "Mancini",
    "Mbeki",
    "Moreau",
    "Murphy",
    "Nakamura",
    "Novak",
    "Okafor",
    "Olsen",
    "Park",
    "Petrov",
    "Quispe",
    "Rahman",
    "Reyes",
    "Rossi",
    "Sato",
    "Silva",
    "Tanaka",
    "Vargas",
    "Weber",
    "Yilmaz",
)
PLACES = (
    "Ashford",
    "Bayview",
    "Brookfield",
    "Cedar Hill",
    "Eastgate",
    "Fairmont",
    "Glenwood",
    "Harbor Point",
    "Kingsbridge",
    "Lakeside",
    "Maplewood",
    "Northfield",
    "Oak Park",
    "Riverside",
    "Sunnyside",
    "Westbrook",
)
GROUPS = (
    "High School band",
    "chess club",
    "choir",
    "cycling club",
    "film society",
    "rotary club",
    "seniors' club",
    "wedding party",
)

PROBLEMS = {
    "carpentry": ("Loose handrail", "Cracked bench", "Sticking door", "Splintered step"),
    "electrical": ("Flickering light", "Dead power outlet", "Exposed cable", "Sparking switch"),
    "grounds": ("Broken sprinkler head", "Fallen branch", "Bare patch of turf", "Washed-out path"),
    "heating and cooling": ("Failed cooling unit", "Rattling air vent", "Stuck thermostat"),
    "painting": ("Graffiti", "Faded sign", "Peeling paint"),
    "plumbing": ("Leaking pipe", "Blocked drain", "Broken water fountain"),
}
"""Trade of a repair crew → problems it mends."""

INDOORS = (
    "gate A",
    "gate B",
    "gate C",
    "gate D",
    "the main entrance",
    "the north hall",
    "the south hall",
    "the east stairs",
    "the west stairs",
    "the press room",
    "the ticket office",
    "the loading dock",
    "the first aid room",
    "section 104",
    "section 112",
    "section 118",
    "section 201",
    "section 215",
)
OUTDOORS = (
    "the front lawn",
    "the north field",
    "the south field",
    "the parking lot",
    "the service road",
    "the practice area",
)
CREW_SUFFIXES = {
    "electrical": "Electric",
    "plumbing": "Plumbing",
    "carpentry": "Carpentry",
    "grounds": "Groundskeeping",
    "heating and cooling": "Climate Services",
    "painting": "Painters",
}


def person_names(rng: Random, count: int) -> list[str]:
    """Draw `count` different full names (at most 2,500)."""
    places = rng.sample(range(len(FIRST_NAMES) * len(LAST_NAMES)), count)
    return [f"{FIRST_NAMES[p % len(FIRST_NAMES)]} {LAST_NAMES[p // len(FIRST_NAMES)]}" for p in places]


def group_names(rng: Random) -> list[str]:
    """Return all names of groups that travel together, in drawn order."""
    names = [f"{place} {group}" for place in PLACES for group in GROUPS]
    rng.shuffle(names)
    return names


def ticket_subjects(rng: Random) -> list[tuple[str, str]]:
    """Return every problem at every spot where it can occur once, with its trade, in drawn order (330)."""
    subjects = [
        (f"{problem} at {spot}", trade)
        for trade in sorted(PROBLEMS)
        for problem in PROBLEMS[trade]
        for spot in (OUTDOORS if trade == "grounds" else INDOORS)
    ]
    rng.shuffle(subjects)
    return subjects


def crew_names(rng: Random, per_trade: int) -> list[tuple[str, str]]:
    """Return different crews' names with their trades, `per_trade` for each trade."""
    owners = rng.sample(LAST_NAMES, per_trade * len(CREW_SUFFIXES))
    trades = [trade for trade in sorted(CREW_SUFFIXES) for _ in range(per_trade)]
    return [(f"{owner} {CREW_SUFFIXES[trade]}", trade) for owner, trade in zip(owners, trades, strict=True)]
