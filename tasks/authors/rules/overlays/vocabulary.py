"""Names, problems and wishes that people would utter: the vocabulary of simulated operations."""

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

REVIEWS = {
    "classification": ("Review the category", "Check the grouping", "Add a missing tag"),
    "duplicates": ("Merge a duplicate", "Look for a duplicate", "Separate two mixed-up records"),
    "figures": ("Verify a figure", "Check an outlier", "Add a missing value", "Confirm the unit"),
    "sources": ("Update the source", "Add a citation", "Confirm the licence", "Replace a dead link"),
    "wording": ("Correct a spelling", "Clean up the formatting", "Spell out an abbreviation"),
}
"""Field of expertise of a reviewer → what can be asked of them."""

PURPOSES = (
    "the annual report",
    "the archive",
    "the audit",
    "the board meeting",
    "the classroom kit",
    "the dashboard",
    "the data dictionary",
    "the exhibition",
    "the fact sheet",
    "the grant application",
    "the help desk",
    "the newsletter",
    "the open data portal",
    "the podcast",
    "the press office",
    "the research team",
    "the website",
    "the yearbook",
)
"""For what a review is wanted."""


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


def review_subjects(rng: Random) -> list[tuple[str, str]]:
    """Return every review for every purpose once, with its field of expertise, in drawn order (306)."""
    subjects = [
        (f"{review} for {purpose}", field)
        for field in sorted(REVIEWS)
        for review in REVIEWS[field]
        for purpose in PURPOSES
    ]
    rng.shuffle(subjects)
    return subjects


def reviewer_names(rng: Random, per_field: int) -> list[tuple[str, str]]:
    """Return different people's names with their fields of expertise, `per_field` for each field."""
    fields = [field for field in sorted(REVIEWS) for _ in range(per_field)]
    return list(zip(person_names(rng, len(fields)), fields, strict=True))
