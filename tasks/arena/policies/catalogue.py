"""The catalogue of scripted policies: what a specification such as `impaired:wrong_tool=0.3` makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from schemas.arena import IMPAIRMENTS, Impairment
from schemas.errors import UsageError
from tasks.arena.policies.aimless import Aimless
from tasks.arena.policies.lapses import Ailment
from tasks.arena.policies.scripted import Scripted
from tasks.arena.policy import Contender

__all__ = ["SCRIPTED", "Ailment", "Scripted", "scripted"]

SCRIPTED = ("perfect", "random", "noisy", "impaired")
"""What a specification begins with."""
DETOURS = 0.1
"""Odds of a detour at each call of a noisy policy."""
FORMS = (
    "perfect, random, noisy:0.15, impaired:wrong_tool=0.3,stopped_early=0.1 "
    "or impaired:wrong_tool=0.3,floor=0.15,detours=0.1@FAMILY,ENVIRONMENT_ID,TOOL"
)
_NOWHERE: Mapping[str, Collection[str]] = {}


def scripted(spec: str, seed: int, families: Mapping[str, Collection[str]] = _NOWHERE) -> Contender:
    """Make the scripted policy that a specification describes.

    `families`: family → the ids of its environments, for specifications that hold ailments to families; whatever is no
    family is an environment's id or a tool. Raises UsageError with what may be written.
    """
    head, _, rest = spec.partition(":")
    settings, _, places = rest.partition("@")
    if spec == "perfect":
        return Scripted(spec, seed=seed)
    if spec == "random":
        return Aimless(spec, seed)
    if head == "noisy" and rest:
        return Scripted(spec, floor=_share(rest, spec), detours=DETOURS, seed=seed)
    if head != "impaired" or not rest:
        raise UsageError(f"no scripted policy is called {spec!r}. Write {FORMS}")
    rates = dict(_rates(settings, spec))
    floor, detours = rates.pop("floor", 0.0), rates.pop("detours", 0.0)
    held = frozenset(_places(places, families, spec)) if "@" in rest else frozenset()
    ailments = [Ailment(_impairment(name, spec), rate, held) for name, rate in rates.items()]
    return Scripted(spec, ailments, floor, detours, seed)


def _rates(settings: str, spec: str) -> Iterator[tuple[str, float]]:
    """Yield the name and the share of each of some settings, as in `wrong_tool=0.3,floor=0.15`."""
    seen: set[str] = set()
    for setting in settings.split(","):
        name, equals, share = (part.strip() for part in setting.partition("="))
        if not equals or name in seen:
            raise UsageError(f"{setting!r} in {spec!r} is no impairment with its rate, given once. Write {FORMS}")
        seen.add(name)
        yield name, _share(share, spec)


def _share(text: str, spec: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"{text!r} in {spec!r} is no share from 0 to 1. Write {FORMS}")
    return share


def _impairment(name: str, spec: str) -> Impairment:
    for impairment in IMPAIRMENTS:
        if impairment == name:
            return impairment
    raise UsageError(
        f"{name!r} in {spec!r} is no impairment. They are {', '.join(IMPAIRMENTS)}; floor and detours beside"
    )


def _places(text: str, families: Mapping[str, Collection[str]], spec: str) -> Iterator[str]:
    """Yield the environments' ids and tools that a list of places means."""
    for place in (part.strip() for part in text.split(",")):
        if not place:
            raise UsageError(f"{spec!r} names an empty place. Write {FORMS}")
        yield from families.get(place, (place,))
