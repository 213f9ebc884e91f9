"""SQLite in a worker: no side files, the frozen clock, seeded random(), no transaction left open.

SQLite asks its VFS for the time and for the seed of random(); both answers are replaced in the
VFS itself, so CURRENT_TIMESTAMP in a DEFAULT, datetime('now') and random() follow the session
everywhere at no cost per row. Where the library's symbols are hidden (an interpreter with SQLite
linked in statically), the same is done per connection by overriding the SQL functions, which
costs some microseconds a call. `install` finds out which of the two works.
"""

from __future__ import annotations

import ctypes
import sqlite3
import weakref
from collections.abc import Callable
from typing import Any

from .determinism import NANOSECONDS, REALITY

JULIAN_EPOCH_MS = 210_866_760_000_000
"""Milliseconds from the start of the Julian day count to 1970: SQLite's clock."""
_CONNECT = sqlite3.connect
_Pointer = ctypes.c_void_p


class _Vfs(ctypes.Structure):
    """struct sqlite3_vfs up to version 2 (sqlite.org/c3ref/vfs.html)."""

    _fields_ = [
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("max_path", ctypes.c_int),
        ("next", _Pointer),
        ("name", ctypes.c_char_p),
        ("app_data", _Pointer),
        *[(name, _Pointer) for name in "open delete access full_pathname dl_open dl_error dl_sym dl_close".split()],
        ("randomness", _Pointer),
        ("sleep", _Pointer),
        ("current_time", _Pointer),
        ("last_error", _Pointer),
        ("current_time_ms", _Pointer),
    ]


_RANDOMNESS = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_int, _Pointer)
_CURRENT_TIME_MS = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.POINTER(ctypes.c_int64))
_kept_alive: list[Any] = []
_connections: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
_prepare_connection: Callable[[sqlite3.Connection], None] | None = None


class _Connection(sqlite3.Connection):
    """A connection that a weak set can hold."""


def install() -> str:
    """Patch SQLite in this process; return 'vfs' or 'functions', the way that worked."""
    global _prepare_connection
    way = "vfs" if _patch_vfs() and _is_frozen() else "functions"
    if way == "functions":
        _prepare_connection = _override_functions
    sqlite3.connect = sqlite3.dbapi2.connect = connect  # type: ignore[assignment,attr-defined]
    return way


def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
    """Open a database as sqlite3.connect does, in a workspace where no file can be created.

    The journal and temporary tables stay in memory, and nothing is flushed: the workspace does
    not outlive the session.
    """
    if len(arguments) < 6:
        options.setdefault("factory", _Connection)
    connection = _CONNECT(*arguments, **options)
    for pragma in ("journal_mode=memory", "temp_store=memory", "synchronous=off"):
        connection.execute(f"PRAGMA {pragma}").close()
    if _prepare_connection is not None:
        _prepare_connection(connection)
    try:
        _connections.add(connection)
    except TypeError:  # a factory without weak references: its transactions cannot be watched
        pass
    return connection


def roll_back_open_transactions() -> int:
    """Undo what was not committed on any open connection; return how many there were."""
    count = 0
    for connection in list(_connections):
        try:
            if connection.in_transaction:
                connection.rollback()
                count += 1
        except sqlite3.ProgrammingError:  # closed
            continue
    return count


# --- the VFS ------------------------------------------------------------------------------


@_RANDOMNESS
def _randomness(_: int, size: int, target: int) -> int:
    ctypes.memmove(target, REALITY.draw(size), size)
    return size


@_CURRENT_TIME_MS
def _current_time_ms(_: int, target: Any) -> int:
    target[0] = JULIAN_EPOCH_MS + REALITY.now_ns // 1_000_000
    return 0


def _patch_vfs() -> bool:
    library = _library()
    if library is None:
        return False
    library.sqlite3_vfs_find.restype = _Pointer
    library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
    library.sqlite3_randomness.argtypes = [ctypes.c_int, _Pointer]
    library.sqlite3_initialize()
    address = library.sqlite3_vfs_find(None)
    while address:
        vfs = _Vfs.from_address(address)
        vfs.randomness = ctypes.cast(_randomness, _Pointer).value
        if vfs.version >= 2:
            vfs.current_time_ms = ctypes.cast(_current_time_ms, _Pointer).value
        address = vfs.next
    # Size 0 forgets the generator's state, so that the next use asks the VFS for a new seed.
    REALITY.listeners.append(lambda: library.sqlite3_randomness(0, None))
    return True


def _library() -> ctypes.CDLL | None:
    """Return a handle through which the sqlite3 module's own library is found, or None."""
    import _sqlite3

    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    found = all(hasattr(library, f"sqlite3_{name}") for name in ("initialize", "vfs_find", "randomness"))
    return library if found else None


def _is_frozen() -> bool:
    """Return whether SQLite now reads our clock (another copy of the library may have been patched)."""
    before, REALITY.now_ns = REALITY.now_ns, 86_400 * NANOSECONDS
    try:
        connection = _CONNECT(":memory:")
        try:
            return connection.execute("SELECT CURRENT_TIMESTAMP").fetchone()[0] == "1970-01-02 00:00:00"
        finally:
            connection.close()
    finally:
        REALITY.now_ns = before


# --- the SQL functions --------------------------------------------------------------------

_TIME_FUNCTIONS = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1}
"""SQL function → position of its time value."""
_KEYWORDS = {"current_timestamp": "datetime", "current_date": "date", "current_time": "time"}
"""SQLite compiles these keywords to calls of functions of the same name."""


def _override_functions(connection: sqlite3.Connection) -> None:
    original = _CONNECT(":memory:", check_same_thread=False)
    _kept_alive.append(original)

    def at_frozen_time(name: str, position: int) -> Callable[..., Any]:
        def function(*values: Any) -> Any:
            given = list(values)
            if len(given) == position:
                given.append("now")
            if len(given) > position and isinstance(given[position], str) and given[position].lower() == "now":
                given[position : position + 1] = [REALITY.now_ns // NANOSECONDS, "unixepoch"]
            return original.execute(f"SELECT {name}({', '.join('?' * len(given))})", given).fetchone()[0]

        return function

    for name, position in _TIME_FUNCTIONS.items():
        connection.create_function(name, -1, at_frozen_time(name, position))
    for keyword, name in _KEYWORDS.items():
        connection.create_function(keyword, 0, at_frozen_time(name, 0))
    connection.create_function("random", 0, lambda: int.from_bytes(REALITY.draw(8), "big", signed=True))
    connection.create_function("randomblob", 1, lambda size: REALITY.draw(max(1, size)))
