"""A small world that every archetype suits: categories, priced books, customers and their purchases."""

from __future__ import annotations

import polars as pl

from tasks.mining.tables import MinedTables
from tests.tasks.authors.rules.odd_worlds import Odd, mined

BOOKS = 60
CUSTOMERS = 45


def shop() -> MinedTables:
    """Return the tables; books of the first categories are bought most."""
    categories = pl.DataFrame(
        {"category_id": list(range(1, 13)), "category_name": [f"Department {chr(64 + n)}" for n in range(1, 13)]}
    )
    books = pl.DataFrame(
        {
            "book_id": list(range(1, BOOKS + 1)),
            "book_name": [f"{('Red', 'Blue', 'Green', 'White')[n % 4]} story {n}" for n in range(1, BOOKS + 1)],
            "category_id": [1 + n % 12 for n in range(BOOKS)],
            "price": [round(3.5 + n * 1.25 % 40, 2) for n in range(BOOKS)],
        }
    )
    customers = pl.DataFrame(
        {
            "customer_id": list(range(1, CUSTOMERS + 1)),
            "customer_name": [f"{('Ada', 'Bo', 'Cy')[n % 3]} Number{n}" for n in range(CUSTOMERS)],
            "age": [20 + n % 50 for n in range(CUSTOMERS)],
        }
    )
    purchases = pl.DataFrame(
        {
            "purchase_id": list(range(1, 401)),
            "book_id": [1 + n * n % 97 % BOOKS // (1 + n % 4) for n in range(400)],
            "customer_id": [1 + n * 7 % CUSTOMERS for n in range(400)],
            "bought_on": [f"2023-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(400)],
        }
    )
    tables = mined(
        {
            "categories": Odd(categories, "category", "categories", label="category_name"),
            "books": Odd(books, "book", "books", label="book_name", references={"category_id": "categories"}),
            "customers": Odd(customers, "customer", "customers", label="customer_name"),
            "purchases": Odd(
                purchases,
                "purchase",
                "purchases",
                dates=("bought_on",),
                references={"book_id": "books", "customer_id": "customers"},
            ),
        }
    )
    tables.profile.table("books").column("price").type = "money"
    return tables
