"""English requests: where a clause opens with a bare verb, and where a clause begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from tasks.verification.style.lexicon import english_verbs

SENTENCE_END = re.compile(r"(?<=[.!?])[\s”\"]+(?=[A-Z“\"])|[\r\n]+")
_QUOTED = re.compile(r"[“\"][^”\"]*[”\"]")
_WORD = re.compile(r"[A-Za-z'’]+|[\d.,]*\d|X\b|[^\w\s]")
_BREAK = frozenset(",;:()–—!?-")
"""Marks after which a new clause may open."""
_LEADS = frozenset(
    """please then and also first second third next finally lastly now kindly otherwise just so or but afterwards
    instead again thereafter meanwhile likewise additionally either always do don't don’t never not simply only
    once there here""".split()
)
"""Words that an order may open with before its verb; adverbs in -ly count too."""
_OBJECTS = frozenset(
    """a an the this that these those it them him her its his their our my your me us each every all any both no one
    some what which who whose whom how whether if where when why as only just up down off out with to for everything
    everyone anything nothing X two three four five six seven eight nine ten eleven twelve twenty half""".split()
)
"""Words after which a verb that could be a noun is a verb: its object has begun."""
_FINITE = frozenset(
    """is are was were am has have had does do did should must may might can could will would shall needs need ought
    isn't aren't wasn't isn’t aren’t comes come goes go stands stays remains belongs""".split()
)
_SUBORDINATORS = frozenset(
    """if when while unless although because since whereas whenever wherever until before after whose which who whom
    that where provided otherwise""".split()
)
_OF_A_NOUN = frozenset("of on from in at by about".split())
"""Words after which a verb that could be a noun is a noun: "report on", "list of"."""


def count_imperatives(request: str, more_verbs: Set[str] = frozenset()) -> int:
    """Count the clauses that open with a bare verb; `more_verbs` are base forms that tools are called by."""
    return sum(_sentence_imperatives(sentence, more_verbs) for sentence in _sentences(request))


def count_clauses(request: str) -> int:
    """Count clauses: sentences, what a semicolon or colon sets apart, orders after another, and subordinate ones."""
    found = 0
    for sentence in _sentences(request):
        openings = [piece for piece in _pieces(sentence) if piece]
        later = sum(_opens_with_verb(piece, frozenset()) for piece in openings[1:])
        words = [word.lower() for word in _WORD.findall(sentence)]
        found += 1 + later + words.count(";") + words.count(":")
        found += sum(word in _SUBORDINATORS for word in words[1:])
    return found


def _sentences(request: str) -> list[str]:
    """Return the sentences, with what stands in quotes as X."""
    return [part for part in SENTENCE_END.split(_QUOTED.sub(" X ", request)) if re.search(r"\w", part)]


def _sentence_imperatives(sentence: str, more_verbs: Set[str]) -> int:
    found = 0
    for place, piece in enumerate(_pieces(sentence)):
        if _opens_with_verb(piece, more_verbs) or (place == 0 and _opens_before_noun(piece, sentence)):
            found += 1 + _coordinated(piece, more_verbs)
        else:
            found += _pleas(piece, more_verbs)
    return found


def _pieces(sentence: str) -> Iterator[list[str]]:
    """Yield the words between marks, hyphens inside words left alone."""
    piece: list[str] = []
    for word in _WORD.findall(re.sub(r"(?<=\w)-(?=\w)", "", sentence)):
        if word in _BREAK:
            yield piece
            piece = []
        elif word != ".":
            piece.append(word if word == "X" else word.lower())
    yield piece


def _opens_with_verb(piece: list[str], more_verbs: Set[str]) -> bool:
    """Say whether a piece opens with a verb whose object follows, or with one that is nothing else."""
    words, forbids = _without_leads(piece)
    if not words:
        return False
    plain, ambiguous = english_verbs()
    head, rest = words[0], words[1:]
    if forbids or head in ("be", "let's", "let’s"):
        return head not in _FINITE
    if head in plain:
        return True
    if not rest or head not in ambiguous | more_verbs | {"have"}:
        return False
    return (rest[0] in _OBJECTS or rest[0][0].isdigit()) and not _is_subject(rest)


def _opens_before_noun(piece: list[str], sentence: str) -> bool:
    """Say whether a sentence's first word is a verb before a bare noun: not in "Book reviews are", "Report on"."""
    words, _ = _without_leads(piece)
    plain, ambiguous = english_verbs()
    if len(words) < 2 or words[0] not in ambiguous or words[1] in _OF_A_NOUN | _FINITE | _OBJECTS | {"and", "or"}:
        return False
    after = _main_clause([word.lower() for word in _WORD.findall(sentence)])
    return _FINITE.isdisjoint(after) and plain.isdisjoint(words[2:])


def _without_leads(piece: list[str]) -> tuple[list[str], bool]:
    """Leave out what an order may open with; say whether that forbids something ("do not", "never")."""
    start = 0
    while start < len(piece) and (piece[start] in _LEADS or _is_adverb(piece[start])):
        start += 1
    leads = piece[:start]
    return piece[start:], not {"don't", "don’t", "never"}.isdisjoint(leads) or leads[-2:] == ["do", "not"]


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in ("apply", "multiply", "reply", "supply")


def _is_subject(rest: list[str]) -> bool:
    """Say whether a noun opened the clause: "Stock that is low should …", "Holds with a fee are …"."""
    if rest[0] in ("that", "which", "who", "whose"):
        return sum(word in _FINITE for word in rest) > 1
    return rest[0] in ("with", "for", "to") and not _FINITE.isdisjoint(_main_clause(rest))


def _main_clause(words: list[str]) -> list[str]:
    """Return the words before the first subordinate clause."""
    return words[: next((place for place, word in enumerate(words) if word in _SUBORDINATORS), len(words))]


def _coordinated(piece: list[str], more_verbs: Set[str]) -> int:
    """Count the verbs that "and", "or" or "then" adds to an order: "… and note the reason"."""
    found = 0
    for place, word in enumerate(piece[1:], start=1):
        if word in ("and", "or", "then", "but") and piece[place - 1] not in ("and", "or", "but"):
            found += _opens_with_verb(piece[place:], more_verbs)
    return found


def _pleas(piece: list[str], more_verbs: Set[str]) -> int:
    """Count orders after a "please" or "then" inside a clause: "could you please look up …"."""
    opened = [place for place, word in enumerate(piece) if word in ("please", "kindly", "then") and place]
    return sum(_opens_with_verb(piece[place:], more_verbs) for place in opened)
