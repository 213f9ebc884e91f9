"""Tables of one shape on many pages are one table; rows that are equal stay once, with their first place."""

from __future__ import annotations

from tasks.mining.research.extraction.found import FoundTable, Kind
from tasks.mining.research.uniting import Placed, unite


def found(
    address: str, columns: str, *rows: str, title: str = "", name: str = "", kind: Kind = "table", closed: bool = True
) -> Placed:
    cells = tuple(tuple(cell or None for cell in row.split(",")) for row in rows)
    places = tuple(f"row {n}" for n in range(len(rows)))
    return Placed(f"http://h{address}", title, FoundTable(kind, name, tuple(columns.split(",")), cells, places, closed))


def test_pages_of_a_list_are_one_table_and_its_headings_a_column() -> None:
    (table,) = unite([
        found("/a/fr?page=1", "Code,Name", "A,a", "B,b", title="Airports of France"),
        found("/a/fr?page=2", "Code,Name", "C,c", "A,a", title="Airports of France"),
        found("/a/nz", "Name,Code", "d,D", "e,E", title="Airports of New Zealand"),
    ])  # fmt: skip
    assert table.name == "airports" and table.title == "airports"
    assert table.frame.columns == ["Code", "Name", "section"]
    assert table.frame.rows() == [
        ("A", "a", "France"), ("B", "b", "France"), ("C", "c", "France"), ("D", "d", "New Zealand"), ("E", "e", "New Zealand"),
    ]  # fmt: skip
    assert table.addresses[2] == "http://h/a/fr?page=2" and table.places == (
        "row 0",
        "row 1",
        "row 0",
        "row 0",
        "row 1",
    )


def test_one_page_an_item_is_a_row_an_item_whatever_it_lacks() -> None:
    (table,) = unite([
        found("/city/1", "name,Mayor,Area", "Oslo,Anne,454", title="Oslo", kind="definitions", closed=False),
        found("/city/2", "name,Area,Motto", "Rome,1285,x", title="Rome", kind="definitions", closed=False),
    ])  # fmt: skip
    assert table.name == "cities" and table.frame.columns == ["name", "Mayor", "Area", "Motto"]
    assert table.frame.rows() == [("Oslo", "Anne", "454", None), ("Rome", None, "1285", "x")]


def test_other_shapes_kinds_types_and_hosts_stay_apart() -> None:
    tables = unite([
        found("/a", "x,y", "1,2", name="T"), found("/b", "x,z", "1,2", name="T"),
        found("/c", "x,y", "1,2", name="T", kind="json"),
        Placed("http://other/a", "", found("/", "x,y", "1,2", name="T").table),
        found("/d", "name,price", "a,1", name="Product", kind="linked_data", closed=False),
        found("/d", "name,price", "a,1", name="Offer", kind="linked_data", closed=False),
    ])  # fmt: skip
    assert len(tables) == 6 and len({table.name for table in tables}) == 6
    assert {"products", "offers"} <= {table.name for table in tables}


def test_numbers_of_pages_are_no_headings() -> None:
    (table,) = unite([
        found("/l?p=1", "a,b", "1,2", "3,4", title="Items page 1"), found("/l?p=2", "a,b", "5,6", "7,8", title="Items page 2"),
    ])  # fmt: skip
    assert table.frame.columns == ["a", "b"] and table.name == "items"


def test_names_of_headings() -> None:
    names = {
        "List of countries by population": "countries",
        "Films to watch | Atlas": "films",
        "Large cities": "large_cities",
        "2024": "reports",
    }
    for heading, expected in names.items():
        (table,) = unite([found("/report", "a,b", "1,2", name=heading)])
        assert table.name == expected


def test_equal_headers_and_the_own_name_for_the_heading_are_kept_apart() -> None:
    (table,) = unite([found("/a", "x,X,section", "1,2,3")])
    assert table.frame.columns == ["x", "X", "section"]
    assert unite([]) == []
