"""Things that a request refers to more than once, or that are long to describe: introduced first, then called by a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from schemas.plans import ITEM, Best, Thing
from tasks.authors.rules.wording.english.nouns import Nouns

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONGEST, LONGEST_WITHIN = 100, 60
"""Characters of a description that still stands in the middle of a sentence: where it is reported on, and elsewhere."""


def introduce(nouns: Nouns) -> list[str]:
    """Return sentences that introduce things, in order, and give these their names."""
    plan, sentences = nouns.plan, []
    uses = Counter(_uses(plan.model_dump(mode="json")))
    written = nouns.vocabulary.written(plan)
    reported = Counter(_uses([asked.model_dump(mode="json") for asked in plan.asked]))
    nouns_said = Counter(nouns.noun(thing.table).singular for thing in plan.things)
    nouns_said.update({nouns.noun(each.source.table).singular for each in plan.passes})
    for place, thing in enumerate(plan.things):
        if isinstance(thing, Thing) and thing.name is not None:
            nouns.called[place] = nouns.described(place)
            continue
        said = nouns.described(place)
        moves = thing.table in written and reported[place]  # which row it is must be clear before anything is done
        if not moves and uses[place] < 2 and len(said) <= (LONGEST if reported[place] else LONGEST_WITHIN):
            nouns.called[place] = said
            continue
        noun = nouns.noun(thing.table).singular
        if isinstance(thing, Best) and thing.group is not None:
            noun = nouns.vocabulary.column(thing.table, thing.group).words
        if nouns_said[noun] == 1 or noun != nouns.noun(thing.table).singular:
            nouns.called[place] = f"that {noun}"
            sentences.append(_alone(nouns, noun, said))
        else:
            lettered = sum(f"{noun} {letter}" in nouns.called.values() for letter in LETTERS)
            nouns.called[place] = f"{noun} {LETTERS[lettered % len(LETTERS)]}"
            sentences.append(_lettered(nouns, nouns.called[place], said))
    return _joined(nouns, sentences)


def _alone(nouns: Nouns, noun: str, said: str) -> str:
    return nouns.voice.pick(
        f"one {noun} matters here: {said}",
        f"one {noun} comes into this, {said}",
        f"the {noun} in question is {said}",
        f"the {noun} that I have in mind is {said}",
        f"it starts with one {noun}, namely {said}",
        f"the {noun} concerned is {said}",
    )


def _lettered(nouns: Nouns, name: str, said: str) -> str:
    return nouns.voice.pick(
        f"{name} is {said}",
        f"by {name} I mean {said}",
        f"what I call {name} is {said}",
        f"{name} stands for {said}",
        f"{said} is {name} below",
        f"{said} is what we call {name}",
        f"{name} is short for {said}",
    )


def _joined(nouns: Nouns, sentences: list[str]) -> list[str]:
    """Put some neighbouring sentences into one."""
    joined: list[str] = []
    for each in sentences:
        if joined and len(joined[-1]) + len(each) < 220 and nouns.voice.chance(0.5):
            joined[-1] = f"{joined[-1]}; {each}"
        else:
            joined.append(each)
    return joined


def _uses(node: Any) -> Iterator[int]:
    """Yield the place of a thing for each use of it."""
    if isinstance(node, dict):
        if isinstance(node.get("thing"), int) and node["thing"] != ITEM:
            yield node["thing"]
        if isinstance(node.get("of"), list) and node["of"]:
            yield node["of"][0]
        for value in node.values():
            yield from _uses(value)
    elif isinstance(node, list):
        for value in node:
            yield from _uses(value)
