"""Which link comes next, and which kinds of page are given up."""

from __future__ import annotations

from tasks.mining.search.frontier import BARREN, Frontier, add_all, words_of

NOTHING: frozenset[str] = frozenset()


def test_words_in_their_singular() -> None:
    assert words_of("Airports of countries, a list") == {"airport", "of", "country", "list"}


def test_each_address_once() -> None:
    frontier = Frontier()
    assert frontier.add("http://h/a/1") and not frontier.add("http://h/a/1")
    assert frontier.next(NOTHING) == "http://h/a/1" and frontier.next(NOTHING) is None
    assert not frontier.add("http://h/a/1") and len(frontier) == 0


def test_what_a_query_asks_for_comes_first_then_the_order_on_the_page() -> None:
    frontier = Frontier()
    add_all(frontier, [(f"http://h/{name}/x", name, False) for name in ("films", "cities", "airports")], "http://h/")
    assert frontier.next(words_of("airport codes")) == "http://h/airports/x"
    assert frontier.next(NOTHING) == "http://h/films/x"


def test_the_next_page_of_a_list_with_rows_comes_before_anything_else() -> None:
    frontier = Frontier()
    frontier.add("http://h/list?page=1")
    frontier.next(NOTHING)
    frontier.report("http://h/list?page=1", 20, 20, 0)
    add_all(frontier, [("http://h/new/kind", "", False), ("http://h/list?page=2", "", True)], "http://h/list?page=1")
    assert frontier.next(NOTHING) == "http://h/list?page=2"


def test_an_endless_calendar_is_given_up_and_lists_are_not() -> None:
    frontier = Frontier()
    frontier.add("http://h/cal/2026/1")
    visited = 0
    for number in range(2, 200):
        address = frontier.next(NOTHING)
        if address is None:
            break
        visited += 1
        month = [(f"http://h/cal/2026/{number}", "next", True)]
        days = [(f"http://h/cal/2026/{number}/{day}", "", False) for day in range(1, 29)]
        promising = add_all(frontier, [*month, *days] if address.count("/") == 5 else [], address)
        frontier.report(address, 0, 0, promising)
    assert visited <= 3 * BARREN and len(frontier.closed()) == 2


def test_pages_without_rows_that_lead_to_rows_stay_open() -> None:
    frontier = Frontier()
    frontier.add("http://h/item/0")
    frontier.report("http://h/item/0", 1, 1, 0)
    for number in range(50):
        promising = add_all(frontier, [(f"http://h/item/{number + 1}", "", False)], f"http://h/category/{number}")
        frontier.report(f"http://h/category/{number}", 0, 0, promising)
    assert frontier.closed() == []
