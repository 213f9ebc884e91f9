"""One spelling for each page; kinds of page; numbered pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.mining.browsing.addresses import canonical, host_of, numbered_next, pattern_of


@pytest.mark.parametrize(
    ("given_address", "base", "expected"),
    [
        ("HTTP://Example.ORG:80/a#b", "", "http://example.org/a"),
        ("../c?x=1&utm_source=y", "https://example.org/a/b", "https://example.org/c?x=1"),
        ("//other.org", "https://example.org/", "https://other.org/"),
        ("http://user:secret@example.org/", "", "http://example.org/"),
        ("/a b/é", "http://h/", "http://h/a%20b/%C3%A9"),
        ("http://[::1]:8080/x", "", "http://[::1]:8080/x"),
        ("mailto:a@b.org", "", None),
        ("javascript:void(0)", "http://h/", None),
        ("http://h:port/", "", None),
        ("http://h/" + "a/" * 13, "", None),
    ],
)
def test_canonical(given_address: str, base: str, expected: str | None) -> None:
    assert canonical(given_address, base) == expected


@given(st.text(max_size=40))
def test_a_canonical_address_is_its_own_spelling(text: str) -> None:
    address = canonical(text, "http://example.org/a/")
    assert address is None or canonical(address) == address
    assert address is None or address.isascii()


def test_host_and_pattern() -> None:
    assert host_of("http://localhost:8080/x") == "localhost:8080"
    assert pattern_of("http://h/calendar/2026/11") == pattern_of("http://h/calendar/1999/01") == "h/calendar/#/*"
    assert pattern_of("http://h/list?page=2&a=1") == "h/list?a&page"
    assert pattern_of("http://h/airports/france") != pattern_of("http://h/cities/paris")


def test_numbered_next() -> None:
    assert numbered_next("http://h/list?a=b&page=9") == "http://h/list?a=b&page=10"
    assert numbered_next("http://h/list/page/2/") == "http://h/list/page/3/"
    assert numbered_next("http://h/list") is None
