"""What can go wrong around a world; a failed call is data, not one of these."""

from __future__ import annotations


class BundleError(ValueError):
    """A bundle folder that cannot be used. The message says what is wrong and where."""


class ToolsNotLoaded(RuntimeError):
    """The bundle's tools.py does not compile, or fails when it is executed."""


class StateUnreadable(RuntimeError):
    """The final state cannot be compared: the tools left a broken or oversized database."""
