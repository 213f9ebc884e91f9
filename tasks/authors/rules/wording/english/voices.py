"""Voices: the register that one request keeps, and its choices among ways to say the same."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, TypeVar

Register = Literal["letter", "colleague", "chat", "ticket"]
REGISTERS: tuple[Register, ...] = ("letter", "colleague", "chat", "ticket")
Option = TypeVar("Option")

_MODALS: dict[Register, tuple[str, ...]] = {
    "letter": ("should", "are to", "must", "ought to"),
    "colleague": ("should", "need to", "have to", "should"),
    "chat": ("should", "need to", "have to", "should"),
    "ticket": ("must", "are to", "should", "have to"),
}
_SINGULAR = {"are to": "is to", "need to": "needs to", "have to": "has to"}


@dataclass
class Voice:
    """One register, and a source of choices."""

    register: Register
    rng: random.Random

    def pick(self, *options: Option) -> Option:
        """Choose one of the options."""
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        """Say yes in a share of the cases."""
        return self.rng.random() < share

    def modal(self, *, plural: bool) -> str:
        """Return a verb of obligation, to stand before 'be' or another verb: should, must, are to, has to."""
        said = self.pick(*_MODALS[self.register])
        return said if plural else _SINGULAR.get(said, said)
