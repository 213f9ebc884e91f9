"""Attempts: what came of a policy's attempts that count, and how it stands in each environment by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True)
class Standing:
    """How a policy did in one environment, by the program's own counts."""

    environment_id: str
    theme_name: str
    passed: int
    attempts: int

    @property
    def pass_rate(self) -> float:
        """Share of attempts that passed, 0 to 1."""
        return self.passed / self.attempts


@dataclass(frozen=True)
class Attempt:
    """One attempt that counts: where it was made, and whether it passed."""

    environment_id: str
    theme_name: str
    passed: bool


@dataclass(frozen=True)
class Attempts:
    """All attempts of a policy that count, by rollout id."""

    by_rollout: Mapping[str, Attempt]

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """The standing in each environment, by its id."""
        found: dict[str, Standing] = {}
        for one in self.by_rollout.values():
            known = found.get(one.environment_id, Standing(one.environment_id, one.theme_name, 0, 0))
            found[one.environment_id] = replace(known, passed=known.passed + one.passed, attempts=known.attempts + 1)
        return found

    @cached_property
    def overall(self) -> Standing:
        """The standing in all environments together."""
        passed = sum(one.passed for one in self.by_rollout.values())
        return Standing("", "", passed, len(self.by_rollout))

    @property
    def weak(self) -> list[Standing]:
        """The environments below the overall pass rate, the weakest first."""
        below = (one for one in self.standings.values() if self.is_weak(one))
        return sorted(below, key=lambda one: (one.pass_rate, one.environment_id))

    def is_weak(self, standing: Standing) -> bool:
        """Return whether a pass rate is below the overall one, compared without division."""
        return standing.passed * self.overall.attempts < self.overall.passed * standing.attempts

    def within(self, environment_id: str) -> set[str]:
        """Return the attempts in an environment, by rollout id."""
        return {name for name, one in self.by_rollout.items() if one.environment_id == environment_id}

    def passing(self, rollout_ids: Collection[str]) -> int:
        """Return how many of some attempts passed."""
        return sum(self.by_rollout[name].passed for name in rollout_ids)
