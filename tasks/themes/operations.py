"""Operations: what a source's tools do, to what, and by which parameters, read from names, descriptions and schemas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from schemas.themes import SourceOperation, SourceParameter, Verb
from tasks.themes.controls import is_control, is_free_text, is_own_key
from tasks.themes.lexicon import CONTEXTS, KINDS, MESSAGES, UNSTORED, plain_text, usual_fields, words_of
from tasks.themes.phrases import Phrase, brands_of, described_noun, described_verb, known_in, shared_starts, take_apart

_LONGEST_DESCRIPTION = 600
_WRITES = ("create", "update", "transition", "delete")
_NONE: Mapping[str, Sequence[SourceParameter]] = MappingProxyType({})
_FETCHED = frozenset(("scrape", "crawl", "monitor", "extract"))
"""Words for getting things of a known kind from where they are; with an address they take any page apart."""


@dataclass(frozen=True)
class Named:
    """An operation as its source names it, all of its parameters and what it returns, and what is known for sure.

    `verb` and `noun` (singular, snake_case) are set where the source says them otherwise than by the name.
    """

    name: str
    description: str = ""
    parameters: Sequence[SourceParameter] = ()
    returns: Sequence[SourceParameter] = ()
    verb: Verb | None = None
    noun: str | None = None


@dataclass(frozen=True)
class Understood:
    """An operation taken apart: what it does (`word`: by which word) to which kind of thing (singular, "" unknown).

    `plural` tells whether its name speaks of several of them.
    """

    named: Named
    verb: Verb
    word: str
    noun: str
    parameters: tuple[SourceParameter, ...] = field(default=())
    plural: bool = False

    def operation(self, entity: str) -> SourceOperation:
        """Return it as a theme keeps it; `entity` is the name of its table."""
        return SourceOperation(
            name=self.named.name,
            description=plain_text(self.named.description, _LONGEST_DESCRIPTION),
            verb=self.verb,
            entity=entity,
            parameters=list(self.parameters),
        )


def understand(
    title: str,
    overview: str,
    operations: Sequence[Named],
    declared: Mapping[str, Sequence[SourceParameter]] = _NONE,
) -> list[Understood]:
    """Return the operations taken apart, in their order; `declared` are things (singular) with fields, kept as they are.

    What a name leaves open is taken from the ids it asks for, from its description, and last from what the
    source's other operations are about.
    """
    prose = " ".join((overview, *(one.description for one in operations)))
    names = [one.name for one in operations]
    brands, starts = brands_of(title, names, prose), shared_starts(names)
    read = [_read(one, brands, starts, prose.lower(), declared) for one in operations]
    often = Counter(one.noun for one in read if one.noun and one.verb != "other")
    main = max(often, key=lambda noun: (often[noun], noun), default="") or known_in((title, overview))
    whole = [one if one.noun or one.verb == "other" else replace(one, noun=main) for one in read]
    # What writes nothing that can be named computes: add(a, b).
    return [replace(one, verb="other") if not one.noun and one.verb in _WRITES else one for one in whole]


def _read(
    named: Named,
    brands: Collection[str],
    starts: Collection[str],
    prose: str,
    declared: Mapping[str, Sequence[SourceParameter]],
) -> Understood:
    phrase = take_apart(named.name, brands, starts)
    own = {parameter.name for parameter in declared.get(named.noun or "", ())}
    parameters = tuple(p for p in named.parameters if p.name in own or not is_control(p))
    noun = named.noun if named.noun is not None else _noun(named, phrase, parameters, brands)
    verb, word = _verb(named, phrase, noun, parameters)
    last = noun.rpartition("_")[2]
    stored = verb != "other" and (noun in declared or (noun not in UNSTORED and last not in UNSTORED))
    if not noun and (word == "add" or (named.parameters and not parameters and verb in ("create", "update"))):
        stored = False  # a sum; or credentials and settings alone
    if noun not in declared and last in CONTEXTS and not re.search(CONTEXTS[last], prose):
        stored = False
    if not stored:
        return Understood(named, "other", word, "", parameters)
    return Understood(named, verb, word, noun, parameters, phrase.plural)


def _noun(named: Named, phrase: Phrase, parameters: Sequence[SourceParameter], brands: Collection[str]) -> str:
    if phrase.noun:
        return phrase.noun
    for parameter in parameters:
        words = words_of(parameter.name.rpartition(".")[2])
        if len(words) > 1 and words[-1] in ("id", "ids", "slug", "number") and words[-2] in KINDS:
            return words[-2]
    noun, _ = described_noun(named.description, brands)
    return noun if usual_fields(noun) else ""


def _verb(named: Named, phrase: Phrase, noun: str, parameters: Sequence[SourceParameter]) -> tuple[Verb, str]:
    if named.verb is not None:
        return named.verb, phrase.word or named.verb
    verb, word = phrase.verb, phrase.word
    if verb is None:
        verb, word = described_verb(named.description)
        if verb not in ("get", "search", "list", "top", "aggregate", "create", "other"):
            verb = None
    if verb is None:
        known = bool(usual_fields(noun)) or phrase.plural
        verb, word = ("get" if known else "other"), ""
    if (
        word in _FETCHED
        and usual_fields(noun)
        and not any(p.name.lower().endswith(("url", "urls")) for p in parameters)
    ):
        return _reading(phrase, noun, parameters), word
    if word in ("send", "submit", "reply") and noun.rpartition("_")[2] not in MESSAGES and noun not in KINDS:
        return "other", word
    if verb in ("get", "list"):
        return _reading(phrase, noun, parameters), word
    if word == "resolve" and noun in ("issue", "incident", "ticket", "comment", "thread", "alert", "conflict", "case"):
        return "transition", word
    return verb, word


def _reading(phrase: Phrase, noun: str, parameters: Sequence[SourceParameter]) -> Verb:
    """Return what an operation that reads does, by how its name and parameters put it."""
    if phrase.counted:
        return "aggregate"
    if phrase.ranked:
        return "top"
    if any(is_free_text(p) for p in parameters):
        return "search"
    if any(is_own_key(p.name, noun) for p in parameters) and not (phrase.plural and phrase.word == "list"):
        return "get"
    if phrase.plural or phrase.word == "list":
        return "list"
    return "search" if parameters else "get"
