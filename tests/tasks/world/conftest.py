from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World

SCHEMA = """
CREATE TABLE flights (flight_id INTEGER PRIMARY KEY, origin TEXT NOT NULL, seats INTEGER NOT NULL);
CREATE TABLE bookings (
    booking_id INTEGER PRIMARY KEY,
    flight_id INTEGER NOT NULL REFERENCES flights (flight_id),
    seats INTEGER NOT NULL CHECK (seats > 0),
    booked_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE call_log (at TEXT);
"""

SOURCE = """
import sqlite3
_connection = None

def database():
    global _connection
    if _connection is None:
        _connection = sqlite3.connect("world.db")
        _connection.row_factory = sqlite3.Row
    return _connection

def get_flight(flight_id):
    row = database().execute("SELECT * FROM flights WHERE flight_id = ?", (flight_id,)).fetchone()
    if row is None:
        return {"error": {"code": "not_found", "message": f"no flight {flight_id}"}}
    return dict(row)

def create_booking(flight_id, seats):
    with database() as connection:
        cursor = connection.execute("INSERT INTO bookings (flight_id, seats) VALUES (?, ?)", (flight_id, seats))
        connection.execute("INSERT INTO call_log VALUES (datetime('now'))")
    row = connection.execute("SELECT * FROM bookings WHERE booking_id = ?", (cursor.lastrowid,)).fetchone()
    return dict(row)

def divide(by):
    return {"value": 1 / by}
"""


def tool(name: str, properties: dict[str, Any], read_only: bool = True) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"The tool {name}.",
        "operation": "get",
        "read_only": read_only,
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": sorted(properties),
            "additionalProperties": False,
        },
        "output_schema": {"type": "object"},
        "intent": {},
    }


INTEGER = {"type": "integer"}
TOOLS = [
    tool("get_flight", {"flight_id": INTEGER}),
    tool("create_booking", {"flight_id": INTEGER, "seats": {"type": "integer", "minimum": 1}}, read_only=False),
    tool("divide", {"by": INTEGER}),
]


def write_world(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    rows = [(number, "JFK" if number % 2 else "LGA", 100 + number) for number in range(1, 301)]
    connection.executemany("INSERT INTO flights VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


@pytest.fixture(scope="session")
def world_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("seed") / "seed.db")


@pytest.fixture(scope="session")
def make_bundle(world_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bundle]:
    """Make a bundle with more tools, whose results may be anything: name → (properties, source of the function)."""

    def make(extra: dict[str, tuple[dict[str, Any], str]] | None = None, **changes: Any) -> Bundle:
        extra = extra or {}
        parts: dict[str, Any] = {
            "environment_id": "environment_1",
            "world_sha256": "0" * 64,
            "clock_start": "2024-05-01T08:00:00",
            "contract": {"log_tables": ["call_log"]},
            "tools_source": SOURCE + "".join(source for _, source in extra.values()),
            "tools": TOOLS + [tool(name, given) | {"output_schema": {}} for name, (given, _) in extra.items()],
            "world_db": world_db,
        }
        return write_bundle(tmp_path_factory.mktemp("bundle"), **(parts | changes))

    return make


@pytest.fixture(scope="session")
def bundle(make_bundle: Callable[..., Bundle]) -> Bundle:
    return make_bundle()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(scratch=tmp_path_factory.mktemp("scratch")) as world:
        yield world
