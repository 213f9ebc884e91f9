"""Subjects: the thing that a name or a phrase of a requirements document is about, by what the document declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.themes import SourceParameter
from tasks.themes.lexicon import (
    ADJECTIVES,
    DECLARABLE,
    DECLARABLE_ALONE,
    DETERMINERS,
    GENERIC,
    PREPOSITIONS,
    is_plural,
    singular,
    words_of,
)
from tasks.themes.phrases import noun_of

Declared = Mapping[str, Sequence[SourceParameter]]
"""Things (singular) that a document declares, with their fields."""
_OF = ("of", "for", "on", "in")
"""What stands between a field and its thing: the weight of an animal, the price for a room."""
_BETWEEN = ("and", "or")


@dataclass(frozen=True)
class Subject:
    """What an operation is about: a thing (singular, "" for none), whether several, and the fields of it that are named."""

    noun: str
    plural: bool = False
    fields: tuple[SourceParameter, ...] = field(default=())


def declared_noun(words: Sequence[str], explicit: bool = False) -> str:
    """Return the thing (singular) that a declaration names; "" for none.

    General words may be things here, as a library's tools are. `explicit` tells that fields stand right behind the
    name, so that a lone 'Record' or 'Object' is one as well.
    """
    noun, _ = noun_of(words, (), DECLARABLE)
    if not noun and explicit:
        noun, _ = noun_of(words, (), DECLARABLE | DECLARABLE_ALONE)
    return noun


def subject_in(words: Sequence[str], declared: Declared) -> Subject:
    """Return what the words behind a verb are about; "," is a word of its own.

    A declared thing wins over what general words are elsewhere, and over its own field: 'the weight of an animal' is
    about the animal.
    """
    words = _owned(words)
    parts = [part for word in words for part in (("and",) if word == "," else words_of(word))]
    position = next((at for at, part in enumerate(parts) if at and part in PREPOSITIONS), len(parts))
    head = _bare(parts[:position])
    noun = _declared_end(head, declared)
    if noun:
        return Subject(noun, is_plural(head[-1]))
    behind = _behind_field(parts, declared)
    if behind is not None:
        return behind
    noun, many = noun_of([low for word in words if word != "," for low in words_of(word)], ())
    return Subject(noun if noun in declared else _shortened(declared).get(noun, noun), many)


def _owned(words: Sequence[str]) -> list[str]:
    """Return the words with an owner behind what it owns: "the animal's weight" is the weight of the animal."""
    at = next((at for at, word in enumerate(words) if word.lower().endswith(("'s", "’s"))), None)
    if at is None:
        return list(words)
    end = next((i for i in range(at + 1, len(words)) if words[i].lower() in PREPOSITIONS - {*_BETWEEN}), len(words))
    return [*words[at + 1 : end], "of", *words[:at], words[at][:-2], *words[end:]]


def _bare(parts: Sequence[str]) -> list[str]:
    return [part for part in parts if part not in DETERMINERS and part not in PREPOSITIONS]


def _declared_end(head: Sequence[str], declared: Declared) -> str:
    """Return the longest declared thing that a phrase ends with; "" for none."""
    ends = (singular("_".join(head[start:])) for start in range(len(head)))
    return next((end for end in ends if end in declared), "")


def _shortened(declared: Declared) -> dict[str, str]:
    """Return what is left of the things' names without general words → the thing: a 'swap' is the swap request."""
    short = [(noun_of(noun.split("_"), ())[0], noun) for noun in declared]
    names = [name for name, _ in short]
    return {name: noun for name, noun in short if name and names.count(name) == 1}


def _behind_field(parts: Sequence[str], declared: Declared) -> Subject | None:
    """Return the declared thing behind a preposition, where all before it are fields of it or general words."""
    for position, part in enumerate(parts):
        if part not in _OF or not position:
            continue
        rest = parts[position + 1 :]
        following = next((at for at, word in enumerate(rest) if word in PREPOSITIONS), len(rest))
        head = _bare(rest[:following])
        noun = _declared_end(head, declared)
        if not noun:
            continue
        phrases = _phrases(parts[:position])
        fields = [_field(phrase, declared[noun]) for phrase in phrases]
        known = tuple(one for one in fields if one is not None)
        general = part == "of" and all(word in GENERIC or word in ADJECTIVES for phrase in phrases for word in phrase)
        if len(known) == len(fields) or general:
            return Subject(noun, is_plural(head[-1]), known if len(known) == len(fields) else ())
    return None


def _phrases(parts: Sequence[str]) -> list[list[str]]:
    """Return the items of 'phone and email address' as words."""
    phrases: list[list[str]] = [[]]
    for part in parts:
        if part in _BETWEEN:
            phrases.append([])
        elif part not in DETERMINERS:
            phrases[-1].append(part)
    return [phrase for phrase in phrases if phrase]


def _field(phrase: Sequence[str], fields: Sequence[SourceParameter]) -> SourceParameter | None:
    """Return the field that a phrase names, by its whole name or its end: 'rent' is the yearly rent."""
    said = "_".join(phrase)
    names = {said, singular(said)}
    whole = next((one for one in fields if one.name in names), None)
    if whole is not None:
        return whole
    ends = [one for one in fields if any(one.name.endswith(f"_{name}") for name in names)]
    return ends[0] if len(ends) == 1 else None
