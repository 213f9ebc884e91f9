"""Why a request's plan could not be told."""

from __future__ import annotations


class Unreadable(ValueError):
    """The request's words do not give a whole plan; the message says what is missing."""
