"""The tools of the benchmark's world, a lending library. Read as text, as an author's module is; never imported.

They read neither clock nor chance, so that every way of running them gives the same answers.
"""

from __future__ import annotations

import sqlite3
from typing import Any

_connection: sqlite3.Connection | None = None


def _database() -> sqlite3.Connection:
    global _connection
    if _connection is None:
        _connection = sqlite3.connect("world.db")
        _connection.row_factory = sqlite3.Row
    return _connection


def _row(table: str, key: str, value: int) -> dict[str, Any] | None:
    row = _database().execute(f"SELECT * FROM {table} WHERE {key} = ?", (value,)).fetchone()
    return None if row is None else dict(row)


def _refusal(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def get_book(book_id: int) -> dict[str, Any]:
    """Return one book by its number."""
    return _row("books", "book_id", book_id) or _refusal("not_found", f"no book {book_id}")


def get_reader(reader_id: int) -> dict[str, Any]:
    """Return one reader by their number."""
    return _row("readers", "reader_id", reader_id) or _refusal("not_found", f"no reader {reader_id}")


def search_books(author: str | None = None, min_year: int | None = None, limit: int = 20) -> dict[str, Any]:
    """Find books by author and year of publication."""
    conditions = [("author LIKE ?", f"%{author}%" if author else None), ("year >= ?", min_year)]
    given = [(text, value) for text, value in conditions if value is not None]
    where = " WHERE " + " AND ".join(text for text, _ in given) if given else ""
    values = [value for _, value in given]
    total = _database().execute(f"SELECT count(*) FROM books{where}", values).fetchone()[0]
    page = f"SELECT book_id, title, year FROM books{where} ORDER BY year DESC, book_id LIMIT ?"
    items = [dict(row) for row in _database().execute(page, [*values, limit])]
    return {"items": items, "total": total}


def list_reader_loans(reader_id: int) -> dict[str, Any]:
    """Return a reader's loans, oldest first."""
    rows = _database().execute("SELECT * FROM loans WHERE reader_id = ? ORDER BY loan_id", (reader_id,))
    return {"items": [dict(row) for row in rows]}


def list_reader_visits(reader_id: int) -> dict[str, Any]:
    """Return a reader's visits to the branches, oldest first."""
    rows = _database().execute("SELECT * FROM visits WHERE reader_id = ? ORDER BY visit_id", (reader_id,))
    return {"items": [dict(row) for row in rows]}


def summarize_loans(status: str) -> dict[str, Any]:
    """Count the loans of a status by branch."""
    rows = _database().execute(
        "SELECT branch, count(*) AS loans FROM loans JOIN books USING (book_id) "
        "WHERE status = ? GROUP BY branch ORDER BY branch",
        (status,),
    )
    return {"groups": [dict(row) for row in rows]}


def create_loan(book_id: int, reader_id: int, due_on: str) -> dict[str, Any]:
    """Lend a copy of a book to a reader. Refused when all its copies are out."""
    book = _row("books", "book_id", book_id)
    if book is None or _row("readers", "reader_id", reader_id) is None:
        return _refusal("not_found", f"no book {book_id} or no reader {reader_id}")
    counted = "SELECT count(*) FROM loans WHERE book_id = ? AND status = 'open'"
    if _database().execute(counted, (book_id,)).fetchone()[0] >= book["copies"]:
        return _refusal("all_lent", f"all copies of book {book_id} are out")
    with _database() as connection:
        number = connection.execute(
            "INSERT INTO loans (book_id, reader_id, due_on, status) VALUES (?, ?, ?, 'open')",
            (book_id, reader_id, due_on),
        ).lastrowid
    return _row("loans", "loan_id", number or 0) or {}


def return_loan(loan_id: int) -> dict[str, Any]:
    """Take a lent copy back. Refused when it is back already."""
    loan = _row("loans", "loan_id", loan_id)
    if loan is None:
        return _refusal("not_found", f"no loan {loan_id}")
    if loan["status"] != "open":
        return _refusal("invalid_transition", f"loan {loan_id} is {loan['status']}")
    with _database() as connection:
        connection.execute("UPDATE loans SET status = 'returned' WHERE loan_id = ?", (loan_id,))
    return {**loan, "status": "returned"}


def renew_loan(loan_id: int, due_on: str) -> dict[str, Any]:
    """Move the day on which a copy is due."""
    loan = _row("loans", "loan_id", loan_id)
    if loan is None:
        return _refusal("not_found", f"no loan {loan_id}")
    with _database() as connection:
        connection.execute("UPDATE loans SET due_on = ? WHERE loan_id = ?", (due_on, loan_id))
    return {**loan, "due_on": due_on}
