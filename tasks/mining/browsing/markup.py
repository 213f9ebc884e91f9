"""Markup: what a page of HTML says of itself: title, headings, text, links, licence, and whether a browser must show it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree, html

from tasks.mining.browsing.addresses import canonical

Element = Any
"""An lxml element; the library has no types."""
_CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_NEXT = re.compile(r"(next( page)?|older( posts| entries)?|[›»>→])[\s›»>→]*", re.IGNORECASE)
_BUTTON = re.compile(r"(next( page)?|load more|show more|more results|[›»>→])[\s›»>→]*", re.IGNORECASE)
_DATA_TYPES = ("application/ld+json", "application/json")
_MOUNTS = {"root", "app", "__next", "__nuxt", "main", "content", "results", "container", "gatsby", "react-root"}
_LITTLE_TEXT = 150
"""Fewer letters than this beside scripts are a page's frame, not the page."""
_EMBEDDED = 2_000
"""So many letters of embedded json hold what the scripts would show."""
_LONGEST_TEXT = 100_000
_FURNITURE = ("script", "style", "noscript", "template", "svg")


@dataclass(frozen=True)
class Link:
    """A link of a page: `follows` when it leads to the next page of the same list."""

    address: str
    text: str
    follows: bool = False


def parse_page(body: bytes, told: str = "") -> Element | None:
    """Return a page's root element; None for bytes that are no HTML. `told` is the content type of its host."""
    text = _DECLARATION.sub("", _decoded(body, told)).replace("\x00", "")
    try:
        return html.document_fromstring(text)
    except (etree.LxmlError, ValueError):
        return None


def title_of(page: Element) -> str:
    """Return a page's first heading, else its title, else ''."""
    for path in (".//h1", ".//title"):
        for element in page.iterfind(path):
            if text := text_of(element):
                return text
    return ""


def headings_of(page: Element) -> list[str]:
    """Return the texts of a page's headings and captions in order, without repeats."""
    found = (text_of(element) for element in page.iter("h1", "h2", "h3", "caption"))
    return list(dict.fromkeys(text for text in found if text))


def visible_text(page: Element) -> str:
    """Return the text between a page's tags, blanks joined, at most 100,000 letters; scripts left out."""
    body = page.find("body")
    pieces: list[str] = []
    for element in (page if body is None else body).iter():
        if isinstance(element.tag, str) and element.tag not in _FURNITURE and element.text:
            pieces.append(element.text)
        if element.tail and element.getparent() is not None and element.getparent().tag not in _FURNITURE:
            pieces.append(element.tail)
    return " ".join(" ".join(pieces).split())[:_LONGEST_TEXT]


def text_of(element: Element) -> str:
    """Return an element's text, parts of it apart from each other, without scripts: 'a<br>b' → 'a b'."""
    return " ".join(" ".join(_texts(element)).split())


def links_of(page: Element, address: str) -> list[Link]:
    """Return a page's links in order, one an address; those marked nofollow are left out, as are forms."""
    base = next((canonical(e.get("href") or "", address) for e in page.iter("base")), None) or address
    if any("nofollow" in (meta.get("content") or "").lower() for meta in page.iterfind(".//meta[@name='robots']")):
        return []
    found: dict[str, Link] = {}
    for element in page.iter("a", "link", "area"):
        rel = set((element.get("rel") or "").lower().split())
        target = canonical(element.get("href") or "", base) if element.get("href") else None
        if target is None or target == address or "nofollow" in rel or (element.tag == "link" and "next" not in rel):
            continue
        text = text_of(element)
        named = (element.get("aria-label") or "").strip() or text
        follows = "next" in rel or bool(_NEXT.fullmatch(named))
        if target not in found or follows:
            found[target] = Link(target, text, follows)
    return list(found.values())


def licence_of(page: Element) -> str | None:
    """Return the licence that a page states by rel=license, schema.org or Dublin Core; None when it states none."""
    for element in page.iter("a", "link"):
        if "license" in (element.get("rel") or "").lower().split():
            return element.get("href") or text_of(element) or None
    for element in page.iterfind(".//*[@itemprop='license']"):
        return element.get("href") or element.get("content") or text_of(element) or None
    for element in page.iter("meta"):
        name = (element.get("name") or element.get("property") or "").lower()
        if name in ("dcterms.license", "dcterms.rights", "dc.rights", "license") and element.get("content"):
            return element.get("content")
    for element in page.iterfind(".//script[@type='application/ld+json']"):
        if match := re.search(r'"license"\s*:\s*"([^"]+)"', element.text or ""):
            return match[1]
    return None


def why_browser(page: Element) -> str | None:
    """Return why only a browser shows what this page holds; None when its HTML holds it.

    A page without scripts never needs one, nor one that carries its data as json. Else one does whose text is
    little, whose mount point, list or table body is empty, or whose "next" is a button.
    """
    scripts = list(page.iter("script"))
    data = sum(len(s.text or "") for s in scripts if (s.get("type") or "").lower() in _DATA_TYPES)
    running = [s for s in scripts if (s.get("type") or "").lower() not in _DATA_TYPES]
    data += max((len(s.text or "") for s in running if re.search(r"window\.\w+\s*=\s*[\[{]", s.text or "")), default=0)
    if not running or data >= _EMBEDDED:
        return None
    if len(visible_text(page)) < _LITTLE_TEXT:
        return "its HTML holds little text"
    for element in page.iter("div", "main", "section", "ul", "ol", "tbody", "table"):
        named = element.tag in ("tbody", "ul", "ol", "table") or (element.get("id") or "").lower() in _MOUNTS
        if named and len(element) == 0 and not (element.text or "").strip():
            return f"its {element.tag} is empty"
    for element in page.iter("button"):
        if _BUTTON.fullmatch((element.get("aria-label") or text_of(element)).strip()):
            return "it has a button to the next page"
    return None


def _texts(element: Element) -> list[str]:
    pieces: list[str] = []
    for part in element.iter():
        seen = isinstance(part.tag, str) and part.tag not in _FURNITURE
        if seen and part.text:
            pieces.append(part.text)
        if part is not element and part.tail:
            pieces.append(part.tail)
    return pieces


def _decoded(body: bytes, told: str) -> str:
    """Return a page's text by the charset that its host, else the page itself says, else by what fits."""
    said = [_CHARSET.search(told), _CHARSET.search(body[:4096].decode("ascii", "replace"))]
    for name in (*(match[1] for match in said if match), "utf-8"):
        try:
            return body.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("cp1252", "replace")
