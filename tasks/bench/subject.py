"""What is measured: a lending library of about 5 MB with nine tools, and rollouts over it.

It is shaped like the factory's own worlds: large tables that tools only read, and a small one that they write.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from pathlib import Path
from typing import Any

from tasks.world.bundle import Bundle, write_bundle

SEED = "the benchmark's library"
BOOKS, READERS, VISITS, LOANS = 16_000, 4_000, 86_000, 1_000
OPEN_LOANS = 500
"""The loans with the highest numbers are open; a rollout returns one and renews one."""
BRANCHES = ("Harbour", "Market Square", "Old Mill", "Riverside", "Station", "University")
TOOLS_SOURCE = Path(__file__).with_name("subject_tools.py")
Call = tuple[str, dict[str, Any]]

_SCHEMA = """
CREATE TABLE books (
    book_id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, branch TEXT NOT NULL,
    year INTEGER NOT NULL, copies INTEGER NOT NULL CHECK (copies > 0)
);
CREATE TABLE readers (reader_id INTEGER PRIMARY KEY, name TEXT NOT NULL, joined_on TEXT NOT NULL);
CREATE TABLE visits (
    visit_id INTEGER PRIMARY KEY, reader_id INTEGER NOT NULL REFERENCES readers, branch TEXT NOT NULL, day TEXT NOT NULL
);
CREATE TABLE loans (
    loan_id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES books, reader_id INTEGER NOT NULL REFERENCES readers,
    due_on TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('open', 'returned'))
);
"""
_INDEXES = """
CREATE INDEX visits_reader ON visits (reader_id);
CREATE INDEX loans_book ON loans (book_id);
CREATE INDEX loans_reader ON loans (reader_id);
"""
_FIRST = "Ada Bela Clara Daniel Elif Farid Grace Hugo Irene Jun Kofi Lena Marco Nadia Olga Pavel".split()
_LAST = "Abbott Brandt Castillo Dubois Eriksen Fofana Garcia Haddad Ivanov Jansen Kimura Lindqvist Moreau".split()
_NOUNS = "Garden Winter River Letters Island Railway Orchard Lighthouse Mountain Market Silence Voyage".split()


def build_bundle(folder: Path) -> Bundle:
    """Write the world and its tools into `folder`, the same in every run, and load the bundle."""
    folder.mkdir(parents=True, exist_ok=True)
    seed = folder / "seed.db"
    _write_database(seed)
    bundle = write_bundle(
        folder,
        environment_id="bench_library",
        world_sha256=hashlib.sha256(seed.read_bytes()).hexdigest(),
        clock_start="2024-05-01T08:00:00",
        contract={"log_tables": []},
        tools_source=TOOLS_SOURCE.read_text(encoding="utf-8"),
        tools=_TOOLS,
        world_db=seed,
    )
    seed.unlink()
    return bundle


def rollout_calls(number: int) -> list[Call]:
    """Return the ten calls of rollout `number`, 0 or more: seven reads and three writes, none of them refused."""
    choice = random.Random(f"rollout/{number}")
    book, reader = choice.randint(1, BOOKS), choice.randint(1, READERS)
    lent = LOANS - OPEN_LOANS + choice.randint(1, OPEN_LOANS - 1)
    return [
        ("search_books", {"author": choice.choice(_LAST), "min_year": 1990, "limit": 10}),
        ("get_book", {"book_id": book}),
        ("get_reader", {"reader_id": reader}),
        ("list_reader_visits", {"reader_id": reader}),
        ("create_loan", {"book_id": book, "reader_id": reader, "due_on": "2024-06-01"}),
        ("list_reader_loans", {"reader_id": reader}),
        ("return_loan", {"loan_id": lent}),
        ("renew_loan", {"loan_id": lent + 1, "due_on": "2024-07-01"}),
        ("summarize_loans", {"status": "open"}),
        ("get_book", {"book_id": choice.randint(1, BOOKS)}),
    ]


def read_call(number: int) -> Call:
    """Return the read whose time is measured: a row by its key, another one each time."""
    return "get_book", {"book_id": 1 + number * 7919 % BOOKS}


def write_call(number: int) -> Call:
    """Return the write whose time is measured: one row changed and committed."""
    return "renew_loan", {"loan_id": 1 + number * 7919 % LOANS, "due_on": f"2024-08-{1 + number % 28:02}"}


def _write_database(path: Path) -> None:
    choice = random.Random(SEED)

    def person() -> str:
        return f"{choice.choice(_FIRST)} {choice.choice(_LAST)}"

    def day(first_year: int, last_year: int) -> str:
        return f"{choice.randint(first_year, last_year)}-{choice.randint(1, 12):02}-{choice.randint(1, 28):02}"

    def title() -> str:
        return f"The {choice.choice(_NOUNS)} and the {choice.choice(_NOUNS)} of {choice.choice(_LAST)}"

    def loan(number: int) -> tuple[Any, ...]:
        status = "open" if number > LOANS - OPEN_LOANS else "returned"
        # each open loan is of another book, so that a further copy can be lent
        book = (number - LOANS + OPEN_LOANS) * 8 if status == "open" else choice.randint(1, BOOKS)
        return number, book, choice.randint(1, READERS), day(2022, 2024), status

    books = [
        (n, title(), person(), choice.choice(BRANCHES), choice.randint(1900, 2023), choice.randint(2, 6))
        for n in range(1, BOOKS + 1)
    ]
    readers = [(n, person(), day(2010, 2023)) for n in range(1, READERS + 1)]
    visits = [(n, choice.randint(1, READERS), choice.choice(BRANCHES), day(2022, 2024)) for n in range(1, VISITS + 1)]
    connection = sqlite3.connect(path)
    try:
        connection.executescript("PRAGMA journal_mode=off; PRAGMA synchronous=off;" + _SCHEMA)
        connection.executemany("INSERT INTO books VALUES (?, ?, ?, ?, ?, ?)", books)
        connection.executemany("INSERT INTO readers VALUES (?, ?, ?)", readers)
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", visits)
        connection.executemany("INSERT INTO loans VALUES (?, ?, ?, ?, ?)", map(loan, range(1, LOANS + 1)))
        connection.commit()
        connection.executescript(_INDEXES)
    finally:
        connection.close()


def _tool(name: str, read_only: bool, properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"{name.replace('_', ' ').capitalize()}.",
        "read_only": read_only,
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": sorted(properties.keys() - set(optional)),
            "additionalProperties": False,
        },
        "output_schema": {"type": "object"},
    }


_NUMBER = {"type": "integer", "minimum": 1}
_TEXT = {"type": "string"}
_DAY = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_TOOLS = [
    _tool("get_book", True, {"book_id": _NUMBER}),
    _tool("get_reader", True, {"reader_id": _NUMBER}),
    _tool(
        "search_books", True, {"author": _TEXT, "min_year": _NUMBER, "limit": _NUMBER}, ("author", "min_year", "limit")
    ),
    _tool("list_reader_loans", True, {"reader_id": _NUMBER}),
    _tool("list_reader_visits", True, {"reader_id": _NUMBER}),
    _tool("summarize_loans", True, {"status": {"type": "string", "enum": ["open", "returned"]}}),
    _tool("create_loan", False, {"book_id": _NUMBER, "reader_id": _NUMBER, "due_on": _DAY}),
    _tool("return_loan", False, {"loan_id": _NUMBER}),
    _tool("renew_loan", False, {"loan_id": _NUMBER, "due_on": _DAY}),
]
