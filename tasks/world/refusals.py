"""Errors as data: the one form that tools and the runtime use."""

from __future__ import annotations

from typing import Any


def refusal(code: str, message: str) -> dict[str, Any]:
    """Return {"error": {"code", "message"}}."""
    return {"error": {"code": code, "message": message}}
