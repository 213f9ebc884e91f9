"""Splits: whole families of environments are held out, so that no environment is in two splits."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.identity import sha256_text
from schemas.snapshots import Split


def split_families(families: Iterable[str], heldout: float) -> dict[str, Split]:
    """Assign each family of environments (a theme's name) to a split; about the share `heldout` of them is held out.

    A family's place follows from its name alone, so that it keeps its split as the ecosystem grows.
    """
    return {family: "heldout" if _place(family) < heldout else "train" for family in sorted(set(families))}


def _place(family: str) -> float:
    """Return a number from 0 to below 1 that a name alone decides."""
    return int(sha256_text(f"split/{family}")[:13], 16) / 16**13
