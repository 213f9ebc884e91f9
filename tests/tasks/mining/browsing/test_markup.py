"""What a page says of itself, and when only a browser shows what it holds."""

from __future__ import annotations

import pytest

from tasks.mining.browsing.markup import (
    Link,
    headings_of,
    licence_of,
    links_of,
    parse_page,
    text_of,
    title_of,
    visible_text,
    why_browser,
)

TEXT = "<p>" + "Words of a page that says enough. " * 9 + "</p>"


def test_text_keeps_parts_apart_and_scripts_out() -> None:
    page = parse_page(b"<p>a<br>b<script>x()</script><b>c</b>d</p><style>p {}</style>")
    assert text_of(page) == "a b c d"
    assert visible_text(page) == "a b c d"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<h1>Café</h1>".encode("latin-1"), "text/html; charset=iso-8859-1"),
        ("<meta charset='latin-1'><h1>Café</h1>".encode("latin-1"), ""),
        ("<h1>Café</h1>".encode(), "text/html"),
        ("<h1>Café</h1>".encode("cp1252"), "text/html; charset=nonsense"),
        ("<?xml version='1.0' encoding='utf-8'?><h1>Café</h1>".encode(), ""),
    ],
)
def test_charsets(body: bytes, told: str) -> None:
    assert title_of(parse_page(body, told)) == "Café"


@pytest.mark.parametrize("body", [b"", b"\x00", b"<!---->"])
def test_what_is_no_page(body: bytes) -> None:
    page = parse_page(body)
    assert page is None or visible_text(page) == ""


def test_links_in_order_the_next_one_told() -> None:
    page = parse_page(
        b"<link rel=stylesheet href=s.css><a href=/b>B</a><a href='#top'>up</a><a href=c rel=nofollow>C</a>"
        b"<a href='?page=2'>Next \xc2\xbb</a><a href=mailto:x@y.z>m</a><a href=/b>again</a>"
    )
    assert links_of(page, "http://h/a") == [Link("http://h/b", "B"), Link("http://h/a?page=2", "Next »", follows=True)]
    assert links_of(parse_page(b"<link rel=next href=/n><p>x</p>"), "http://h/") == [Link("http://h/n", "", True)]
    assert links_of(parse_page(b"<meta name=robots content='noindex, nofollow'><a href=/b>B</a>"), "http://h/") == []
    assert links_of(parse_page(b"<base href='http://g/x/'><a href=y>Y</a>"), "http://h/")[0].address == "http://g/x/y"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<a rel='license noopener' href='http://l/by'>CC BY</a>", "http://l/by"),
        (b"<p><span itemprop=license>MIT</span></p>", "MIT"),
        (b"<meta name='dcterms.license' content='CC0'><p>x</p>", "CC0"),
        (b'<script type="application/ld+json">{"license": "http://l/cc0"}</script><p>x</p>', "http://l/cc0"),
        (b"<p>All rights reserved</p>", None),
    ],
)
def test_licences(body: bytes, expected: str | None) -> None:
    assert licence_of(parse_page(body)) == expected


def test_headings() -> None:
    page = parse_page(b"<title>T</title><h2>B</h2><h1>A</h1><h2>B</h2><table><caption>C</caption><tr><td>1</table>")
    assert headings_of(page) == ["B", "A", "C"] and title_of(page) == "A"


@pytest.mark.parametrize(
    ("body", "needs"),
    [
        (TEXT, False),
        ("<p>short</p>", False),
        ("<p>short</p><script>go()</script>", True),
        (f"{TEXT}<script>track()</script>", False),
        (f"{TEXT}<div id=root></div><script src=app.js></script>", True),
        (f"{TEXT}<div id=ad></div><script src=ad.js></script>", False),
        (f"{TEXT}<table><tbody></tbody></table><script>fill()</script>", True),
        (f"{TEXT}<button>Next page</button><script>more()</script>", True),
        (f"{TEXT}<button>Subscribe</button><script>more()</script>", False),
        (
            f"<div id=root></div><script src=a.js></script><script type='application/json'>[{'1,' * 1500}1]</script>",
            False,
        ),
        (f"<div id=root></div><script>window.data = [{'1,' * 1500}1];</script>", False),
    ],
)
def test_when_a_browser_is_needed(body: str, needs: bool) -> None:
    assert (why_browser(parse_page(body.encode())) is not None) is needs
