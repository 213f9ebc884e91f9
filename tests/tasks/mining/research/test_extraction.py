"""What a page holds, in each of the ways pages write it, every row with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from tasks.mining.browsing.markup import parse_page
from tasks.mining.reading.pages import spread_table
from tasks.mining.research.extraction.files import file_tables
from tasks.mining.research.extraction.found import FoundTable
from tasks.mining.research.extraction.json_data import json_tables
from tasks.mining.research.extraction.page import page_tables

ADDRESS = "http://h/list"


def tables(body: str) -> list[FoundTable]:
    return page_tables([parse_page(body.encode())], ADDRESS)


def only(body: str) -> FoundTable:
    found = tables(body)
    assert len(found) == 1, found
    return found[0]


@st.composite
def tilings(draw: st.DrawFn) -> list[list[int]]:
    """Draw a grid cut into rectangles, each cell the number of its own; every line begins one."""
    height, width = draw(st.integers(2, 6)), draw(st.integers(2, 5))
    grid = [[0] * width for _ in range(height)]
    number = 0
    for row in range(height):
        for column in range(width):
            if grid[row][column]:
                continue
            number += 1
            free = next((i for i in range(column, width) if grid[row][i]), width) - column
            wide, deep = draw(st.integers(1, free)), draw(st.integers(1, height - row))
            # The last column is never covered from above: each line begins a cell there.
            deep = 1 if column + wide == width else deep
            for i in range(row, row + deep):
                for j in range(column, column + wide):
                    grid[i][j] = number
    return grid


def markup(grid: list[list[int]]) -> tuple[str, list[list[str | None]]]:
    """Return a tiling as HTML, and the lines it stands for: a cell alone in its line is the first column's."""
    lines, expected = [], [[f"c{n}" for n in row] for row in grid]
    seen: set[int] = set()
    for row, numbers in enumerate(grid):
        fresh = [n for n in dict.fromkeys(numbers) if n not in seen]
        seen |= set(fresh)
        cells = ""
        for number in fresh:
            deep = sum(number in line for line in grid)
            cells += f"<td rowspan={deep} colspan={numbers.count(number)}>c{number}</td>"
            if len(fresh) == 1:
                first = numbers.index(number)
                expected[row] = [
                    None if n == number and column > first else f"c{n}" for column, n in enumerate(numbers)
                ]
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>", expected


@given(tilings())
def test_spans_expand_to_the_rectangles_they_cover(grid: list[list[int]]) -> None:
    text, expected = markup(grid)
    assert spread_table(html.fromstring(text))[0] == expected


def test_a_table_with_two_header_lines_a_section_and_a_total() -> None:
    table = only(
        "<table><caption>Sales</caption><tr><th rowspan=2>Shop<th colspan=2>Turnover</tr><tr><th>2024<th>2025</tr>"
        "<tr><td colspan=3>North</td></tr><tr><td>A<td>1<td>2</tr><tr><td>B<td>3<td>4</tr><tr><td>Total<td>4<td>6</tr></table>"
    )
    assert table.columns == ("Shop", "Turnover / 2024", "Turnover / 2025") and table.name == "Sales"
    assert table.rows == (("A", "1", "2"), ("B", "3", "4"))
    assert table.places == ("table 1, row 4", "table 1, row 5")


def test_an_infobox_is_one_record_under_the_pages_name() -> None:
    table = only(
        "<h1>Oslo</h1><table><tr><th colspan=2>City</th></tr><tr><th>Mayor:<td>Anne</tr><tr><th>Area<td>454</tr></table>"
    )
    assert (table.columns, table.rows) == (("name", "Mayor", "Area"), (("Oslo", "Anne", "454"),))
    assert table.places == ("table 1",) and not table.closed


def test_a_months_calendar_is_no_table() -> None:
    days = "".join(f"<td>{day}</td>" for day in range(1, 8))
    assert tables(f"<table><tr>{'<th>D</th>' * 7}</tr><tr>{days}</tr><tr>{days}</tr></table>") == []


def test_definition_lists_of_one_kind_are_rows() -> None:
    body = "".join(f"<h2>T{n}</h2><dl><dt>Year<dd>{n}<dt>By<dd>A{n}<dd>B{n}</dl>" for n in (1, 2))
    table = only(f"<h1>Films</h1>{body}<dl><dt>alone<dd>x</dl>")
    assert table.columns == ("Year", "By") and table.rows == (("1", "A1; B1"), ("2", "A2; B2"))
    assert table.places == ("list 1", "list 2")


def test_cards_have_fields_by_class_label_and_tag() -> None:
    body = "".join(
        f"<li class='card {'active' if n == 1 else ''}'><a href=/film/{n}><h3>Film {n}</h3></a><span class='card__year'>{1990 + n}</span>"
        f"<p>Director: Person {n}</p></li>"
        for n in range(1, 5)
    )
    table = only(
        f"<nav><ul><li class=x><b>a</b><i>b</i><li class=x><b>a</b><i>b</i><li class=x><b>a</b><i>b</i></ul></nav><ul>{body}</ul>"
    )
    assert table.columns == ("name", "year", "Director", "link")
    assert table.rows[1] == ("Film 2", "1992", "Person 2", "http://h/film/2")
    assert table.places[1] == "list .card, item 2"


def test_microdata_with_an_item_in_an_item() -> None:
    table = only(
        "<div itemscope itemtype='https://schema.org/Book'><span itemprop=name>B</span><meta itemprop=isbn content=123>"
        "<div itemprop=author itemscope itemtype='https://schema.org/Person'><b itemprop=name>P</b></div></div>"
    )
    assert (table.name, table.columns) == ("Book", ("name", "isbn", "author_name"))
    assert table.rows == (("B", "123", "P"),) and table.places == ("item 1",)


def test_linked_data_by_type_from_lists_and_graphs() -> None:
    data = {"@context": "https://schema.org", "@graph": [
        {"@type": "WebSite", "name": "the site"},
        {"@type": "ItemList", "itemListElement": [
            {"@type": "ListItem", "position": 1, "item": {"@type": "Product", "name": "A", "offers": {"@type": "Offer", "price": 2.5}}},
            {"@type": ["Product", "Thing"], "name": "B", "color": ["red", "blue"]},
        ]},
    ]}  # fmt: skip
    table = only(f'<script type="application/ld+json">{json.dumps(data)}</script><p>x</p>')
    assert (table.kind, table.name, table.columns) == ("linked_data", "Product", ("name", "offers_price", "color"))
    assert table.rows == (("A", "2.5", None), ("B", None, "red; blue"))
    assert table.places == (
        "json-ld 1, /@graph/1/itemListElement/0/item", "json-ld 1, /@graph/1/itemListElement/1",
    )  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        '<script type="application/json" id="state">{"props": {"pageProps": {"items": %s}}}</script>',
        '<script>const other = 1; window.state = {"props": {"pageProps": {"items": %s}}}; go();</script>',
        "<script>var state = JSON.parse('nothing'); let data = {x: 1};</script>"
        '<script type="application/json" id="state">{"props": {"pageProps": {"items": %s}}}</script>',
    ],
)
def test_embedded_json_with_pointers(script: str) -> None:
    items = [{"id": n, "title": f"t</{n}"} for n in range(3)]
    table = only(script % json.dumps(items).replace("</", "<\\/"))
    assert (table.kind, table.name, table.columns) == ("json", "items", ("id", "title"))
    assert table.places == tuple(f"state: /props/pageProps/items/{n}" for n in range(3))


def test_json_in_a_string_is_parsed() -> None:
    inner = json.dumps(json.dumps([{"a": n, "b": n} for n in range(3)]))
    assert only(f"<script>window.data = JSON.parse({inner});</script><p>x</p>").rows[2] == ("2", "2")


def resolve(data: Any, pointer: str) -> Any:
    """Follow a JSON pointer (RFC 6901)."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        data = data[int(key)] if isinstance(data, list) else data[key]
    return data


NAMES = st.sampled_from(["a", "b/c", "d~e", "items", "data"])
RECORDS = st.lists(st.fixed_dictionaries({"x": st.integers(), "y": st.text("abc", min_size=1)}), min_size=2, max_size=4)


@given(st.recursive(RECORDS, lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=2), max_leaves=4))
def test_json_places_are_pointers_to_their_rows(data: Any) -> None:
    for table in json_tables(data, "data"):
        for row, place in zip(table.rows, table.places, strict=True):
            if "record" in place or "x" not in table.columns:
                continue
            found = resolve(data, place.partition(": ")[2])
            assert [str(found[name]) for name in ("x", "y")] == [row[table.columns.index(n)] for n in ("x", "y")]


def test_lists_within_records_have_pointers_of_their_own() -> None:
    data = {"orders": [{"id": 1, "lines": [{"sku": "a"}, {"sku": "b"}]}, {"id": 2, "lines": [{"sku": "c"}]}]}
    found = {table.name: table for table in json_tables(data, "shop")}
    assert found["orders"].places == ("shop: /orders/0", "shop: /orders/1")
    assert found["lines"].places == ("shop: /orders/0/lines/0", "shop: /orders/0/lines/1", "shop: /orders/1/lines/0")


def test_each_state_of_a_page_tells_which_it_is() -> None:
    states = [parse_page(f"<table><tr><th>a<th>b</tr><tr><td>{n}<td>x</tr></table>".encode()) for n in (1, 2)]
    assert [t.places[0] for t in page_tables(states, ADDRESS)] == ["state 1, table 1, row 2", "state 2, table 1, row 2"]


def test_files_by_their_bytes() -> None:
    (table,) = file_tables(b"code;name\nA;alpha\nB;beta\n", "http://h/get?id=3")
    assert (table.columns, table.rows[1], table.places[1]) == (("code", "name"), ("B", "beta"), "row 2")
    (table,) = file_tables(b'[{"a": 1}, {"a": 2}]', "http://h/x/prices.php")
    assert (table.name, table.places) == ("prices", ("prices: /0", "prices: /1"))
    assert list(file_tables(b"<html><body>sorry</body></html>", "http://h/x.csv")) == []
    assert list(file_tables(b"PK\x03\x04 broken archive", "http://h/x.xlsx")) == []


@given(st.text(alphabet="<>/= \"'tabledrscipl{}[],:1", max_size=120))
def test_no_page_is_a_fault(text: str) -> None:
    page = parse_page(text.encode())
    if page is not None:
        page_tables([page], ADDRESS)
