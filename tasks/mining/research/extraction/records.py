"""Records written as markup: definition lists, microdata, and lists of alike blocks ("cards")."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import deepcopy

from tasks.mining.browsing.addresses import canonical
from tasks.mining.browsing.markup import Element, text_of
from tasks.mining.research.extraction.found import FoundTable, Records

_FRAME = ("nav", "header", "footer", "aside", "form", "menu", "table", "head")
_BLOCKS = ("li", "div", "article", "section", "a", "figure")
_FEWEST_CARDS = 3
_LONGEST_VALUE = 2_000
_LABELLED = re.compile(r"([^:\d][^:]{1,30}): +(\S.*)", re.DOTALL)
_CLASS_WORDS = re.compile(
    r"^(?:(?:card|item|list|entry|result|product|tile|row|col|js|is|has|u|c|text|css|sc)[-_]+)+|[-_]{2,}[a-z0-9]{5,}$"
)


def definition_lists(page: Element) -> Iterator[FoundTable]:
    """Yield the records in definition lists, those with a field in common in one table; place: 'list 2'."""
    groups: list[tuple[set[str], Records]] = []
    for number, element in enumerate(page.iter("dl"), start=1):
        values = _definitions(element)
        if len(values) < 2:
            continue
        near = next((group for group in groups if len(group[0] & set(values)) * 2 >= len(values)), None)
        if near is None:
            near = (set(), Records("definitions", _heading(element)))
            groups.append(near)
        near[0].update(values)
        near[1].add(values, f"list {number}")
    for _, records in groups:
        yield records.table()


def microdata(page: Element, address: str) -> Iterator[FoundTable]:
    """Yield the items of schema.org microdata by type; place: 'item 3' of all on the page."""
    groups: dict[str, Records] = {}
    items = [e for e in page.iterfind(".//*[@itemscope]") if e.get("itemtype")]
    for number, item in enumerate(items, start=1):
        if item.get("itemprop"):
            continue
        name = item.get("itemtype").split()[0].rstrip("/").rpartition("/")[2]
        groups.setdefault(name, Records("microdata", name)).add(_properties(item, address), f"item {number}")
    for records in groups.values():
        if len(records):
            yield records.table()


def cards(page: Element, address: str) -> Iterator[FoundTable]:
    """Yield lists of alike blocks: at least three siblings of one class with two fields each.

    A field is named by its data-field, label ("City: Paris"), class or tag. A row's place is
    'list .airport-card, item 4'.
    """
    for parent in page.iter():
        if not isinstance(parent.tag, str) or len(parent) < _FEWEST_CARDS or _is_frame(parent):
            continue
        alike: dict[tuple[str, str], list[Element]] = defaultdict(list)
        for child in parent:
            if isinstance(child.tag, str) and child.tag in _BLOCKS:
                alike[(child.tag, _classes(child))].append(child)
        for (tag, named), blocks in alike.items():
            if len(blocks) >= _FEWEST_CARDS and (table := _cards(blocks, named or tag, address)):
                yield table


def _cards(blocks: list[Element], named: str, address: str) -> FoundTable | None:
    records = Records("cards", _heading(blocks[0]) or named)
    fields: Counter[str] = Counter()
    for number, block in enumerate(blocks, start=1):
        values = _fields(block)
        fields.update(values.keys())
        link = next((a for a in block.iter("a") if a.get("href")), None)
        if link is not None and len(values) > 1 and (target := canonical(link.get("href"), address)):
            values.setdefault("link", target)
        records.add(values if len(values) > 1 else {}, f"list .{named.split()[0]}, item {number}")
    shared = [name for name, count in fields.items() if count * 2 >= len(blocks)]
    return records.table() if len(records) >= _FEWEST_CARDS and len(shared) >= 2 else None


def _fields(block: Element) -> dict[str, str]:
    """Return the texts of a block's innermost elements by name; [] for what has no name of its own."""
    values: dict[str, str] = {}
    for lists in block.iter("dl"):
        values |= _definitions(lists)
    for element in block.iter():
        if element is block or not isinstance(element.tag, str) or element.tag in ("dl", "dt", "dd", "script", "style"):
            continue
        if len(element) and not (element.text or "").strip():
            continue
        if any(above.tag in ("dd", "dt") for above in element.iterancestors()) or _inside_a_field(element, block):
            continue
        text = text_of(element)
        if not text or len(text) > _LONGEST_VALUE:
            continue
        name = element.get("data-field") or element.get("itemprop") or _field_class(element)
        label = _LABELLED.fullmatch(text)
        if name is None and label:
            name, text = label[1], label[2]
        if name is None:
            name = "name" if re.fullmatch(r"h[1-6]|strong|b|a", element.tag) else "text"
        values.setdefault(name if name not in values else f"{name} {len(values)}", text)
    return values


def _inside_a_field(element: Element, block: Element) -> bool:
    """Return whether an element around this one, within the block, was taken as a field with its whole text."""
    for above in element.iterancestors():
        if above is block:
            return False
        if (above.text or "").strip():
            return True
    return False


def _field_class(element: Element) -> str | None:
    names = [_CLASS_WORDS.sub("", name) for name in (element.get("class") or "").split()]
    return next((name for name in names if re.search("[a-z]{2}", name)), None)


def _classes(element: Element) -> str:
    """Return an element's classes but for what marks a single one: 'card active' and 'card' are alike."""
    names = (element.get("class") or "").split()
    return " ".join(n for n in names if n not in ("active", "first", "last", "odd", "even", "selected", "current"))


def _is_frame(element: Element) -> bool:
    return element.tag in _FRAME or any(above.tag in _FRAME for above in element.iterancestors())


def _definitions(element: Element) -> dict[str, str]:
    """Return the terms of a definition list with their text; a term's further texts are joined by '; '."""
    values: dict[str, str] = {}
    term = ""
    for part in element.iter("dt", "dd"):
        if next(part.iterancestors("dl"), None) is not element:
            continue
        text = _own_text(part)
        if part.tag == "dt":
            term = text.rstrip(": ")
        elif term and text:
            values[term] = f"{values[term]}; {text}" if term in values else text
    return values


def _own_text(part: Element) -> str:
    """Return a term's or description's text without those that an unclosed one swallowed ('<dd>a<dd>b')."""
    if next(part.iterdescendants("dt", "dd"), None) is None:
        return text_of(part)
    own = deepcopy(part)
    for inner in list(own.iterdescendants("dt", "dd")):
        if inner.getparent() is not None:
            inner.drop_tree()
    return text_of(own)


def _properties(item: Element, address: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for element in item.iterfind(".//*[@itemprop]"):
        owner = next(above for above in element.iterancestors() if above.get("itemscope") is not None)
        inner = [] if owner is item else [owner.get("itemprop") or ""]
        if (owner is not item and owner.get("itemprop") is None) or element.get("itemscope") is not None:
            continue
        name = "_".join([*inner, element.get("itemprop").split()[0]])
        link = element.get("href") or element.get("src")
        said = element.get("content") or element.get("datetime") or (canonical(link, address) if link else None)
        values.setdefault(name, said or text_of(element))
    return values


def _heading(element: Element) -> str:
    """Return the heading that a list stands under: the last h1 or h2 before it."""
    found = element.xpath("(preceding::h1 | preceding::h2)[last()]")
    return text_of(found[0]) if found else ""
