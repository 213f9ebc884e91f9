"""SQLite as our sessions set it: no journal file, no flush. Beside scripts that run without our packages."""

from __future__ import annotations

import sqlite3
from typing import Any

_CONNECT = sqlite3.connect
_opened: list[sqlite3.Connection] = []


def install() -> None:
    """Make sqlite3.connect in this process open databases so."""
    sqlite3.connect = _connect  # type: ignore[assignment]


def close_all() -> None:
    """Close what was opened."""
    while _opened:
        _opened.pop().close()


def _connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
    connection: sqlite3.Connection = _CONNECT(*arguments, **options)
    connection.execute("PRAGMA journal_mode=memory").close()
    connection.execute("PRAGMA synchronous=off").close()
    _opened.append(connection)
    return connection
