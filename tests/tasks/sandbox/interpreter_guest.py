"""A guest for tests: runs any Python it is sent, as an author's code would run."""

from __future__ import annotations

from typing import Any


def warm() -> None:
    import ctypes  # noqa: F401 - attacks use it, and may not open shared libraries first
    import socket  # noqa: F401
    import subprocess  # noqa: F401


def prepare(options: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, Any] = {"options": options}

    def run(source: str) -> Any:
        names["result"] = None
        exec(source, names)
        return names["result"]

    return {"run": run}
