"""Naming: what a table's rows and columns are called, in code and in a sentence.

A header gives two things: a *name* (ASCII snake_case, at most `LONGEST_NAME` characters, legal as a Python
argument and bare in SQL, no parameter of the tools) and *words* (how a sentence says it: "the flight whose
arrival delay is at least 5 minutes"), which keep what the name had to drop: letters beyond ASCII, the case of
acronyms, the rest of a long header. A unit in the header of a column of numbers is taken out of both
(tasks/mining/columns/units.py). Questions become "age group" where they ask "What is your age group?", and
"answer to 'how tall are you'" where they ask anything else.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from anyascii import anyascii

from tasks.mining.columns.units import split_unit

LONGEST_NAME = 40
LONGEST_WORDS = 80
"""A longer noun phrase loses its reader before the sentence's verb."""

_SHARING = 3
"""Headers that start alike, from which on the start is a question put to many columns."""

TOOL_PARAMETERS = frozenset(
    ("count", "descending", "function", "group_by", "limit", "lowest", "measure", "offset", "sort_by")
)
SQL_RESERVED = frozenset(
    """add all alter and as autoincrement between by case check collate column commit constraint create cross cube
    current_date current_time current_timestamp database default deferrable delete desc distinct drop else end escape
    except exists explain foreign from full grant group having if in index inner insert intersect into is isnull join
    left like limit match natural not notnull null of offset on or order outer over partition pragma primary references
    returning right rollback row rows select set table then to transaction trigger union unique update using values
    view when where window with""".split()
)
_TAKEN_WORDS = TOOL_PARAMETERS | SQL_RESERVED | {word.lower() for word in keyword.kwlist} | {"self", "cls"}

_IRREGULAR = {
    "movies": "movie", "cookies": "cookie", "children": "child", "people": "person", "women": "woman", "men": "man",
    "indices": "index", "analyses": "analysis", "crises": "crisis", "lives": "life", "leaves": "leaf",
    "wolves": "wolf", "heroes": "hero", "buses": "bus", "gases": "gas", "series": "series", "species": "species",
    "statuses": "status", "bonuses": "bonus", "viruses": "virus", "campuses": "campus", "censuses": "census",
    "news": "news", "caches": "cache", "headaches": "headache", "ties": "tie", "pies": "pie", "lies": "lie",
    "axes": "axis", "zombies": "zombie", "potatoes": "potato", "tomatoes": "tomato", "media": "media",
}  # fmt: skip
_SINGULAR_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("zzes", "zz"), ("ches", "ch"), ("shes", "sh"),
    ("ss", "ss"), ("us", "us"), ("is", "is"),
)  # fmt: skip
_PLURAL_ENDINGS = (
    ("sis", "ses"), ("s", "ses"), ("x", "xes"), ("z", "zes"), ("ch", "ches"), ("sh", "shes"),
    ("ay", "ays"), ("ey", "eys"), ("oy", "oys"), ("uy", "uys"), ("y", "ies"),
)  # fmt: skip
_UNCOUNTED = ("ed", "al", "ty", "ing", "tion", "ment", "ence", "ance", "ics", "ism", "ness", "ette", "ent", "ive")
"""Endings of words that name no single thing: the rows of 'airline safety' are 'airline safety records'."""

WRAPPERS = frozenset(
    "content data documents entries features items list objects payload records response result results rows values".split()
)
"""What a document calls the list that it wraps its records in: the file's name says more."""

_FILE_WORDS = frozenset("data dataset csv tsv xlsx json list file table final clean raw export sheet".split())
_SYMBOLS = (("%", " percent "), ("&", " and "), ("+", " plus "), ("№", " number "), ("€", " euros "), ("£", " pounds "))
_SIGN = re.compile(r"(?<![A-Za-z0-9])[$€£¥](?![A-Za-z0-9])|(?<=[A-Za-z0-9])[$](?=\W|$)")
_BOILERPLATE = re.compile(
    r"""[(\[]?\s*\b(?:please\s+)?(?:select|choose|check|tick|mark)\s+(?:only\s+)?
    (?:one|all|any|every|as\s+many|up\s+to\s+\w+|the\s+(?:one|best|most))\b[^)\]?:.]*[)\]?:.]*|\(\s*optional\s*\)""",
    re.IGNORECASE | re.VERBOSE,
)
_ANSWER = re.compile(r"\s*/\s*(?:open-ended\s+)?response$", re.IGNORECASE)
"""The second header line of a survey's file, where it says nothing."""

_OPENING = re.compile(
    r"""^(?:generally\s+speaking|under\s+normal\s+circumstances|in\s+your\s+opinion|in\s+general|overall|currently)
    \s*,\s*|^please\s+(?:tell\s+us|indicate|specify|enter|state|rate|rank)\s+(?:your\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_FOR = re.compile(
    r"^what(?:'s|’s|\s+is|\s+was|\s+are|\s+were)\s+(?:your|the|their|his|her)\s+(.+)$", re.IGNORECASE
)
_QUESTION = re.compile(
    r"""^(?:how|what|which|who|whom|whose|when|where|why|do|does|did|is|are|was|were|have|has|had|can|could|would|will|
    should|if|in|on|at|of|for)\b.*\s.*\s.*""",
    re.IGNORECASE | re.VERBOSE,
)
_ASIDE = frozenset(
    """a about all am an and any are as at be been being below by can could did do does even ever feel following for from
    had has have having how however if in is it its many may me might more most much my of on or other our please rate
    say should so some than that the their them there these they this those to use used using very was were what when
    where which who whom whose will with would you your""".split()
)


@dataclass(frozen=True)
class Named:
    """A column's name, the words a sentence uses for it, and the unit its header gave."""

    name: str
    words: str
    unit: str | None = None


def name_columns(headers: Sequence[str], singular: str, numeric: Collection[str] = ()) -> dict[str, Named]:
    """Return a name, unique in the table, for every header; `numeric` are the headers that may carry a unit.

    `singular` is the noun of a row: a name that Python, SQL or the tools need gets it in front
    ('class' of a ticket → 'ticket_class').
    """
    noun = "_".join(_tokens(singular)) or "row"
    noun = noun if len(noun) <= LONGEST_NAME // 2 else noun.rsplit("_", 1)[-1]
    parts = {header: _taken_apart(header, header in numeric) for header in headers}
    shared = _shared_starts([_tokens(_OPENING.sub("", said)) for said, _ in parts.values()])
    starts = Counter(said[:LONGEST_WORDS] for said, _ in parts.values())
    named: dict[str, Named] = {}
    for header, (said, unit) in parts.items():
        taken = {other.name for other in named.values()}
        name = unique_name(_column_name(said, noun, shared), taken)
        words = _column_words(said, name, starts[said[:LONGEST_WORDS]] == 1)
        if words.lower() in {other.words.lower() for other in named.values()}:
            words = name.replace("_", " ")
        named[header] = Named(name, words, unit)
    return named


def name_tables(stems: Iterable[str]) -> dict[str, str]:
    """Return a plural snake_case name, unique among them, for every file's or sheet's name.

    Years, versions and words for a file ('data', 'list') are dropped where the names stay apart.
    """
    forms = [{}, {"numbered": True}, {"numbered": True, "whole": True}]
    named: dict[str, str] = {}
    waiting = list(dict.fromkeys(stems))
    for form in forms:
        names = {stem: _table_name(stem, **form) for stem in waiting}
        often = Counter(names.values())
        final = form is forms[-1]
        for stem, name in names.items():
            if final or (often[name] == 1 and name not in named.values()):
                named[stem] = unique_name(name, set(named.values()))
        waiting = [stem for stem in waiting if stem not in named]
    return named


def unique_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with the first free number behind it where it is taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name[: LONGEST_NAME - 3].rstrip('_')}_{number}", number + 1
    return free


def singular_of(plural: str) -> str:
    """Return the likely singular of a plural noun, or of the last of its words: 'team_categories' → 'team_category'."""
    start, _, noun = plural.rpartition("_")
    if noun in _IRREGULAR:
        return f"{start}_{_IRREGULAR[noun]}" if start else _IRREGULAR[noun]
    for ending, replacement in _SINGULAR_ENDINGS:
        if plural.endswith(ending):
            return plural[: -len(ending)] + replacement
    return plural[:-1] if plural.endswith("s") and len(plural) > 1 else plural


def plural_of(singular: str) -> str:
    """Return the likely plural of a singular noun: 'category' → 'categories'."""
    for plural, single in _IRREGULAR.items():
        if single == singular:
            return plural
    for ending, replacement in _PLURAL_ENDINGS:
        if singular.endswith(ending):
            return singular[: -len(ending)] + replacement
    return f"{singular}s"


def row_noun(table: str) -> str:
    """Return the noun for one row of a table: 'us_births_2014' → 'us birth 2014'."""
    words = table.split("_")
    last = max((i for i, word in enumerate(words) if not word.isdigit()), default=0)
    return " ".join([*words[:last], singular_of(words[last]), *words[last + 1 :]])


def snake_case(text: str) -> str:
    """Return any text as an ASCII snake_case identifier: 'UnitPrice (USD)' → 'unit_price_usd'; 'column' if empty."""
    return "_".join(_tokens(text)) or "column"


def _tokens(text: str) -> list[str]:
    """Return the lower-case ASCII words of a text; camelCase is taken apart, an emoji gives its name."""
    text = _spelt(text)
    text = re.sub(r"(?<=[^\W\d_])['’](?=s\b|t\b)", "", text)
    ascii_text = "".join(
        anyascii(c) if c.isascii() or (c.isalpha() and _spells(c)) else f" {anyascii(c)} " for c in text
    )
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", " ", ascii_text)
    return re.findall(r"[a-z0-9]+", apart.lower())


def _spelt(text: str) -> str:
    """Return the text with symbols that stand for words written out."""
    text = re.sub(r"^#\s*(?=\w)", "number of ", text)
    for symbol, word in _SYMBOLS:
        text = text.replace(symbol, word)
    return text


def _spells(letter: str) -> bool:
    """Return whether a letter is part of a spelt word: a Han character is a word of its own."""
    return not "\u2e80" <= letter <= "\u9fff"


def _taken_apart(header: str, numeric: bool) -> tuple[str, str | None]:
    """Return the header's phrase, cleaned, and its unit."""
    text = re.sub(r"[\s\u00a0_]+", " ", "".join(c if c.isprintable() or c.isspace() else " " for c in header)).strip()
    text = _BOILERPLATE.sub(" ", _ANSWER.sub("", text)).strip() or text
    text, unit = split_unit(text) if numeric else (text, None)
    text = _SIGN.sub(" ", text) if re.search(r"\w", _SIGN.sub(" ", text)) else text
    asks = text.endswith("?") and len(text.split()) > 3
    return re.sub(r"\s+", " ", text).strip(' .,:;?!*-–—_"“”') + ("?" if asks else ""), unit


def _column_name(said: str, noun: str, shared: Mapping[tuple[str, ...], int]) -> str:
    asked = _ASKED_FOR.match(said)
    tokens = _tokens(asked[1] if asked else _OPENING.sub("", said))
    name = "_".join(tokens)
    if len(name) > LONGEST_NAME:
        tokens = _shortened(tokens, shared)
        name = "_".join(tokens)
    if not name:
        return f"{noun}_column"[:LONGEST_NAME]
    if re.fullmatch(r"(1[5-9]|20)\d\d", name):
        return f"year_{name}"
    if name[0].isdigit() or name in _TAKEN_WORDS:
        return _cut([*noun.split("_"), *tokens])
    return name


def _shortened(tokens: list[str], shared: Mapping[tuple[str, ...], int]) -> list[str]:
    """Return what tells a long header from others: without a start that they share, then without small words."""
    for length in range(len(tokens) - 1, 2, -1):
        if shared.get(tuple(tokens[:length]), 0) >= _SHARING:
            # A number alone says nothing: it keeps the word before it.
            start = next((i for i in range(length - 1, -1, -1) if tokens[i] not in _ASIDE), length)
            tokens = tokens[length:] if not tokens[length].isdigit() else [tokens[start], *tokens[length:]]
            break
    if len("_".join(tokens)) > LONGEST_NAME:
        tokens = [token for token in tokens if token not in _ASIDE] or tokens
    return _cut(tokens).split("_")


def _shared_starts(headers: Iterable[list[str]]) -> Counter[tuple[str, ...]]:
    """Count how many headers start with the same three or more words."""
    starts: Counter[tuple[str, ...]] = Counter()
    for tokens in headers:
        starts.update(tuple(tokens[:length]) for length in range(3, len(tokens)))
    return starts


def _cut(tokens: Sequence[str]) -> str:
    """Join as many words as fit; the first one is cut where it alone is too long."""
    name = ""
    for token in tokens:
        longer = f"{name}_{token}" if name else token[:LONGEST_NAME]
        if len(longer) > LONGEST_NAME:
            break
        name = longer
    kept = name.split("_")
    while len(kept) > 1 and kept[-1] in _ASIDE:
        kept.pop()
    return "_".join(kept)


def _column_words(said: str, name: str, telling: bool) -> str:
    """Return a noun phrase for a sentence: the header's own words where they say more than the name.

    A phrase too long to be said whole is cut at a word, unless it is `telling` only behind the cut.
    """
    if re.fullmatch(r"(1[5-9]|20)\d\d", said):
        return f"value in {said}"
    if any(not c.isascii() and not c.isalnum() and re.search(r"[a-z]", anyascii(c)) for c in said):
        return name.replace("_", " ")  # a picture is said by its name
    asked = _ASKED_FOR.match(said)
    opened = (asked[1] if asked else _OPENING.sub("", said)).rstrip("?")
    option = re.split(r"\? [-/] ", opened)[-1] if re.search(r"\? [-/] ", opened) else ""
    if len(opened) > LONGEST_WORDS and (option or not telling):
        return _lowered(_shorter(option)) or name.replace("_", " ")
    if not asked and (said.endswith("?") or _QUESTION.match(opened)) and len(opened.split()) > 3:
        question = re.sub(r"[\"“”]", "", _shorter(opened).replace("'", "’")).rstrip("? ")
        return f"answer to '{question[:1].lower()}{question[1:]}'"
    words = _lowered(_shorter(opened))
    says_more = re.search(r"[^\W\d_]", words) and words != name.replace("_", " ")
    return words if says_more else name.replace("_", " ")


def _shorter(said: str) -> str:
    if len(said) <= LONGEST_WORDS:
        return said
    kept = said[: LONGEST_WORDS + 1].rsplit(" ", 1)[0].split(" ")
    while len(kept) > 1 and kept[-1].lower().strip(",;:(") in _ASIDE:
        kept.pop()
    return " ".join(kept).rstrip(" ,;:-(")


def _lowered(said: str) -> str:
    """Return words in lower case but for acronyms, and without symbols that are no word."""
    shouted = said.upper() == said
    said = re.sub(r"(?<=[^\W\d_])\.(?=[^\W\d_]|\s|$)", " ", _spelt(said))
    said = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", " ", said)
    said = re.sub(
        r"[/\\|_*#\"“”<>{}\[\]=~^`]+", " ", "".join(c for c in said if c.isascii() or c.isalnum() or c in "’–")
    )
    words = said.split()
    return " ".join(w if not shouted and w.isupper() and len(w) > 1 and w != "ID" else w.lower() for w in words)


def _table_name(stem: str, numbered: bool = False, whole: bool = False) -> str:
    """Return a name with or without its years and versions, and with or without acronyms behind its plural."""
    tokens = [token for token in _tokens(stem) if token not in _FILE_WORDS] or ["record"]
    tokens = [t for i, t in enumerate(tokens) if not _is_edition(tokens, i)] if not numbered else tokens
    tokens = tokens[: tokens.index("by")] if "by" in tokens[1:] and not whole else tokens
    words = [i for i, token in enumerate(tokens) if not token.isdigit()]
    plurals = [i for i in words if _is_plural(tokens[i])]
    if plurals and not whole:
        tokens = [t for i, t in enumerate(tokens) if i <= plurals[-1] or t.isdigit() or not _is_acronym(t)]
        words = [i for i, token in enumerate(tokens) if not token.isdigit()]
    if not words:
        return _cut(["records", *tokens])
    tokens = [*tokens[words[0] :], *tokens[: words[0]]]  # a number stands last
    last = max(i for i, token in enumerate(tokens) if not token.isdigit())
    noun = [tokens[last]]
    if not _is_plural(tokens[last]):
        shouted = re.fullmatch(r"[A-Z0-9]{2,4}", stem.strip())
        mass = shouted or tokens[last].endswith(_UNCOUNTED) or _is_acronym(tokens[last])
        noun = [tokens[last], "records"] if mass else [plural_of(tokens[last])]
    tokens = [*tokens[:last], *noun, *tokens[last + 1 :]]
    while len("_".join(tokens)) > LONGEST_NAME and len(tokens) > 1 and not tokens[1].isdigit():
        tokens = tokens[1:]  # an English noun stands behind what describes it
    name = _cut(tokens)
    if not name[0].isalpha():
        return _cut(["records", *tokens])
    return f"{name}_records" if name in _TAKEN_WORDS else name


def _is_edition(tokens: list[str], position: int) -> bool:
    """Return whether a token is a year, or a number behind the name."""
    token = tokens[position]
    return bool(re.fullmatch(r"(1[5-9]|20)\d\d|v?\d{1,2}", token)) and (len(token) == 4 or position == len(tokens) - 1)


def _is_acronym(word: str) -> bool:
    return not re.search(r"[aeiouy]", word) or (len(word) <= 3 and not word.endswith("s"))


def _is_plural(word: str) -> bool:
    if word in _IRREGULAR:
        return True
    spelt = len(word) > 3 and re.search(r"[aeiouy]", word) is not None
    return spelt and word.endswith("s") and not word.endswith(("ss", "us", "is"))
