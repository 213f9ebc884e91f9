"""Errors as data: the one form that tools and the runtime use."""

from __future__ import annotations

from typing import Any

OUTPUT_VIOLATES_SCHEMA = "output_violates_schema"
"""The code of a call whose result is outside the tool's output schema."""
UNAVAILABLE = "unavailable"
"""The code of a call that a disturbance kept from being made; the same call again may be."""


def refusal(code: str, message: str) -> dict[str, Any]:
    """Return {"error": {"code", "message"}}."""
    return {"error": {"code": code, "message": message}}


def is_refusal(observation: Any) -> bool:
    """Return whether a call was refused or failed: an object whose `error` is an object."""
    return isinstance(observation, dict) and isinstance(observation.get("error"), dict)


def is_unavailable(observation: Any) -> bool:
    """Return whether a disturbance kept a call from being made: the same call again may be."""
    return is_refusal(observation) and observation["error"].get("code") == UNAVAILABLE
