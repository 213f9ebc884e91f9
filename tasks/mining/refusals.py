"""The refusal of a theme while it is mined: a verdict, not a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from schemas.environments import Environment
from schemas.quality import QualityResult

Reason = Literal["no_rows", "too_few_rows", "unreadable", "quality_gate"]


class ThemeRefused(Exception):
    """No world comes of this theme: `reason` is a short code, `detail` one true line with figures.

    A world that was built and then refused comes along, with what the quality gate found in it.
    """

    def __init__(
        self,
        reason: Reason,
        detail: str,
        environment: Environment | None = None,
        quality: Sequence[QualityResult] = (),
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Reason = reason
        self.detail = detail
        self.environment = environment
        self.quality = quality
