"""Phrases: the verb and the thing in an operation's name, and in the first sentence of its description."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from schemas.themes import Verb
from tasks.themes.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    GENERIC,
    KINDS,
    PREPOSITIONS,
    VERBS,
    base_of,
    is_plural,
    singular,
    words_of,
)

_LONGEST_NOUN = 3
_VERB_WITHIN = 3
"""Words of a name among which its verb stands: 'crm_batch_create_companies'."""
_SENTENCE_WORDS = 24
_RANKED = frozenset(("top", "trending", "popular", "hot", "best", "ranked"))
_COUNTED = frozenset(("stats", "statistics", "statistic", "count", "counts", "totals"))
_NOUNS_TOO = frozenset(
    """list index record track book order schedule rate tag comment report star like post share request log count
    label block open top search filter text play store draft form purchase details detail info match process
    patch pin vote test mark statistics stats total plot pull""".split()
)
"""Verbs that are nouns as well: alone, or behind another noun, they are the thing."""
_SHARING = 4
"""Names that start with the same two words, from which on those say whose operation it is."""
_ALWAYS_VERBS = frozenset(("search", "list"))
_VARIANTS = frozenset("v1 v2 v3 tool api mcp fn func function cmd example".split())


@dataclass(frozen=True)
class Phrase:
    """A name taken apart: its verb and that verb's own word, the thing (singular, snake_case), and how it was said."""

    verb: Verb | None
    word: str
    noun: str
    plural: bool = False
    ranked: bool = False
    counted: bool = False


def brands_of(title: str, names: Sequence[str], prose: str) -> frozenset[str]:
    """Return the words of a source that name it or a maker, not a thing.

    Such are words which its prose writes only with a capital inside a sentence ('PubMed', 'arXiv'), and a first
    word that most of its operations share and that is no verb.
    """
    small, large = Counter[str](), Counter[str]()
    for match in re.finditer(r"(?<=[a-z,;] )[A-Za-z][A-Za-z0-9]+", prose):
        word = match[0]
        (small if word.islower() else large)[word.lower()] += 1
    named = {word for text in (title, *names) for word in words_of(text)}
    titled = {word.lower() for word in re.findall(r"\b[A-Z][A-Za-z]+\b", title)}
    known = {word for word in named if word in KINDS or singular(word) in KINDS or word in VERBS}
    capital = {word for word in named - known if large[word] and not small[word]}
    capital |= {word for word in (named & titled) - known if not small[word] and (large[word] or _is_made_up(word))}
    capital |= {word.lower() for word in re.findall(r"\b\w*[a-z][A-Z]\w*\b", title)} - known
    firsts = Counter(words_of(name)[0] for name in names if len(words_of(name)) > 1)
    shared = {word for word, times in firsts.items() if times >= max(3, 0.6 * len(names)) and word not in VERBS}
    return frozenset(capital | shared | _VARIANTS)


def _is_made_up(word: str) -> bool:
    return bool(re.search(r"\d|[^aeiouy]{5}", word))


def shared_starts(names: Sequence[str]) -> frozenset[str]:
    """Return the first two words that several names share where no verb is among them: 'app_store' of a shop's tools."""
    starts = Counter(tuple(words_of(name)[:2]) for name in names if len(words_of(name)) > 2)
    return frozenset(
        "_".join(start)
        for start, times in starts.items()
        if times >= _SHARING
        and not set(start) & VERBS.keys() - {"store", "play"}
        and singular("_".join(start)) not in KINDS
    )


def take_apart(name: str, brands: Collection[str], starts: Collection[str] = ()) -> Phrase:
    """Return the verb and the thing in an operation's name; the thing is "" where the name has none.

    `starts` are two first words, joined, that say whose operation it is.
    """
    tokens = words_of(name)
    if "_".join(tokens[:2]) in starts:
        tokens = tokens[2:]
    counted, ranked = bool(_COUNTED & set(tokens[1:])), bool(_RANKED & set(tokens))
    position = _verb_at(tokens, brands)
    if position is None:
        noun, many = noun_of(tokens, brands)
        return Phrase(None, "", noun, many, ranked, counted)
    word = tokens[position]
    noun, many = noun_of(tokens[position + 1 :], brands)
    if not noun:
        noun, many = noun_of(tokens[:position], brands)
    return Phrase(VERBS[word], word, noun, many, ranked, counted)


def _verb_at(tokens: Sequence[str], brands: Collection[str]) -> int | None:
    """Return where the verb stands: first, behind words that name the source, or last ('issues.create')."""
    if not tokens:
        return None
    for position, token in enumerate(tokens[:_VERB_WITHIN]):
        if token in VERBS and token not in brands:
            alone = len(tokens) == 1 and token in _NOUNS_TOO - _ALWAYS_VERBS
            noun_before = any(t not in brands for t in tokens[:position])
            if not alone and not (noun_before and token in _NOUNS_TOO - _ALWAYS_VERBS):
                return position
        if token in PREPOSITIONS:
            break
    return len(tokens) - 1 if len(tokens) > 1 and tokens[-1] in VERBS else None


def noun_of(tokens: Sequence[str], brands: Collection[str], things: Collection[str] = ()) -> tuple[str, bool]:
    """Return the thing that some words name, in the singular, and whether they name several; ("", False) for none.

    What stands behind a preposition narrows ('tokens by address'), unless nothing but a general word stood before
    it ('list of tokens'). General words among `things` (singular) are things here.
    """
    kept: list[str] = []
    for token in tokens:
        if token in PREPOSITIONS and _stripped(kept, brands, things):
            break
        if token not in PREPOSITIONS and token not in DETERMINERS:
            kept.append(token)
    kept = _stripped(kept, brands, things)[-_LONGEST_NOUN:]
    if not kept:
        return "", False
    return singular("_".join(kept)), is_plural(kept[-1])


def _stripped(tokens: Sequence[str], brands: Collection[str], things: Collection[str] = ()) -> list[str]:
    """Return words without those that describe, say nothing or name the source; `things` (singular) say something."""

    def says_nothing(word: str) -> bool:
        return word in GENERIC and singular(word) not in things

    def is_verb(word: str) -> bool:
        return word in VERBS and word not in _NOUNS_TOO and word not in things

    kept = [token for token in tokens if not token.isdigit() and len(token) > 1 and token not in brands]
    kept = [token for token in kept if token not in ADJECTIVES]
    while kept and says_nothing(kept[-1]) and singular("_".join(kept[-2:])) not in KINDS:
        kept.pop()
    while kept and (says_nothing(kept[0]) or is_verb(kept[0])):
        kept.pop(0)
    return kept


def described_verb(description: str) -> tuple[Verb | None, str]:
    """Return the verb that a description opens with, and its word; (None, "") when it opens with none."""
    for word in _words(description)[:4]:
        base = base_of(word.lower())
        if base in VERBS and (base not in _NOUNS_TOO or word == _words(description)[0]):
            return VERBS[base], base
        if base in ("return", "give", "provide"):
            return "get", "get"
    return None, ""


def described_noun(description: str, brands: Collection[str]) -> tuple[str, bool]:
    """Return the thing behind the verb of a description's first sentence, in the singular, and whether several."""
    words = _words(description)
    start = 0
    for position, word in enumerate(words[:4]):
        if base_of(word.lower()) in VERBS or base_of(word.lower()) in ("return", "give", "provide", "use"):
            start = position + 1
    run: list[str] = []
    for word in words[start:]:
        low = word.lower()
        if low in PREPOSITIONS or low in ("not", "it", "you", "as"):
            if _noun_in(run, brands):
                break
            run = []
        elif low.endswith("ly") or low in DETERMINERS:
            continue
        elif word != low and low not in KINDS and singular(low) not in KINDS and len(run) + start > 0:
            continue  # a name, not a thing
        else:
            run += words_of(low)
    return _noun_in(run, brands) or ("", False)


def _noun_in(run: Sequence[str], brands: Collection[str]) -> tuple[str, bool] | None:
    """Return the noun at the end of a run of words: two of them only where those are a known kind."""
    kept = _stripped([word for word in run if not word.endswith("ing")], brands)
    if not kept:
        return None
    pair = "_".join(kept[-2:])
    noun = pair if singular(pair) in KINDS else kept[-1]
    return singular(noun), is_plural(kept[-1])


def _words(text: str) -> list[str]:
    """Return the words of a text's first sentence."""
    sentence = re.split(r"(?<=[a-z0-9\)])[.;:!?](?:\s|$)|\n\s*\n", text.strip(), maxsplit=1)[0]
    return re.findall(r"[A-Za-z][A-Za-z'’/-]*", sentence)[:_SENTENCE_WORDS]


def known_in(texts: Iterable[str]) -> str:
    """Return the kind of thing that some texts name most often, in the singular; "" for none."""
    found = Counter[str]()
    for text in texts:
        words = [singular(word) for word in words_of(text)]
        pairs = [f"{one}_{two}" for one, two in itertools.pairwise(words)]
        found.update(noun for noun in (*pairs, *pairs, *words) if noun in KINDS and noun not in GENERIC)
    return max(found, key=lambda noun: (found[noun], noun), default="")
