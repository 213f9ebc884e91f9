"""Json that a page carries: JSON-LD by type, and data for its scripts by path, read as a json file is read."""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.mining.browsing.markup import Element
from tasks.mining.reading.contents import Content
from tasks.mining.reading.documents import document_members, read_document
from tasks.mining.reading.raw import Unreadable
from tasks.mining.reading.tables import LIMITS
from tasks.mining.research.extraction.found import FoundTable

_OF_THE_PAGE = {
    "BreadcrumbList", "WebSite", "WebPage", "SearchAction", "SiteNavigationElement", "ImageObject", "CollectionPage",
    "WPHeader", "WPFooter", "ListItem",
}  # fmt: skip
"""Types that speak of the page rather than of its topic."""
_ASSIGNED = re.compile(
    r"(?:window\.|globalThis\.|(?:var|let|const)\s+)([A-Za-z_$][\w$]*)\s*=\s*(JSON\.parse\()?(?=[\[{\"'])"
)
_WRAPPERS = ("props", "pageProps", "initialState", "state", "data")


def linked_data(page: Element) -> Iterator[FoundTable]:
    """Yield the records of a page's JSON-LD by type; place: 'json-ld 1, /@graph/3'."""
    nodes: dict[str, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for number, script in enumerate(page.iterfind(".//script[@type='application/ld+json']"), start=1):
        data = _loaded(script.text or "")
        for node, place in _nodes(data, ""):
            kind = node.get("@type")
            name = str(kind[0] if isinstance(kind, list) and kind else kind).rpartition("/")[2]
            if name not in _OF_THE_PAGE:
                nodes[name].append((_plain(node), f"json-ld {number}, {place or '/'}"))
    for name, found in nodes.items():
        yield from _read({name: [node for node, _ in found]}, "linked_data", [place for _, place in found], name)


def embedded_json(page: Element) -> Iterator[FoundTable]:
    """Yield the lists of records in a page's json scripts and in variables that its scripts set; place: 'data: /items/3'."""
    for script in page.iter("script"):
        kind, text = (script.get("type") or "").lower(), script.text or ""
        if kind == "application/json" or script.get("id") == "__NEXT_DATA__":
            yield from json_tables(_loaded(text), script.get("id") or "data")
        elif kind in ("", "text/javascript", "module"):
            for name, data in _assigned(text):
                yield from json_tables(data, name)


def json_tables(data: Any, source: str) -> Iterator[FoundTable]:
    """Yield the lists of records in a json value; a row's place is `source` and a JSON pointer (RFC 6901)."""
    yield from _read(data, "json", None, source)


def _read(data: Any, kind: Any, given: list[str] | None, source: str) -> Iterator[FoundTable]:
    """Yield the tables of a json value as a json file would give them; `given` are the first table's places."""
    if not isinstance(data, list | dict):
        return
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    content = Content(Path(source), f"{source}.json", lambda: io.BytesIO(text))
    try:
        for position, member in enumerate(document_members(content, LIMITS)):
            frame = read_document(content, member, None, LIMITS).frame
            places = given if given is not None and not position else _places(data, member, frame.height, source)
            path = member or re.sub(r"/[^/]*$", "", places[0].partition(": ")[2]).replace("/", ".") if places else ""
            name = source if given is not None and not position else _last(path) or source
            if frame.width and frame.height and len(places) == frame.height:
                closed = kind == "json"
                yield FoundTable(kind, name, tuple(frame.columns), tuple(frame.rows()), tuple(places), closed)
    except Unreadable:
        return


def _places(data: Any, member: str | None, height: int, source: str) -> list[str]:
    """Return each row's JSON pointer where they can be told, else its number in the list."""
    found = [pointer for _, pointer in (_walk(data, member) if member else _only_list(data, "", height))]
    if len(found) != height:
        return [f"{source}: {member or '/'}, record {n}" for n in range(1, height + 1)]
    return [f"{source}: {pointer}" for pointer in found]


def _walk(data: Any, member: str | None) -> list[tuple[Any, str]]:
    """Return the records of the list that a member names, with pointers: 'orders[].lines[]' → '/orders/3/lines/0'."""
    here = [(data, "")]
    for level, part in enumerate((member or "").split("[]")):
        path = part.strip(".")
        if level and not path:
            break
        here = [inner for value, pointer in here for inner in _entries(_at(value, path), f"{pointer}{_pointer(path)}")]
    return here


def _only_list(data: Any, pointer: str, height: int) -> list[tuple[Any, str]]:
    """Return the records of the one list of a value that has so many, wherever it lies."""
    here = _entries(data, pointer)
    if len(here) == height and all(isinstance(entry, dict) for entry, _ in here):
        return here
    inner = data.items() if isinstance(data, dict) else []
    return next(
        (found for key, value in inner if (found := _only_list(value, f"{pointer}/{_escaped(key)}", height))), []
    )


def _entries(value: Any, pointer: str) -> list[tuple[Any, str]]:
    if isinstance(value, list):
        return [
            (entry, f"{pointer}/{n}") for n, entry in enumerate(value) if isinstance(entry, dict | str | int | float)
        ]
    if isinstance(value, dict):
        return [(entry, f"{pointer}/{_escaped(key)}") for key, entry in value.items() if isinstance(entry, dict)]
    return []


def _at(value: Any, path: str) -> Any:
    for key in path.split(".") if path else []:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _pointer(path: str) -> str:
    return "".join(f"/{_escaped(key)}" for key in path.split(".")) if path else ""


def _escaped(key: str) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _last(member: str | None) -> str:
    """Return the word that names a list by its path: 'props.pageProps.airports' → 'airports'."""
    parts = [part for part in re.split(r"\[\]\.?|\.", member or "") if part]
    return next((part for part in reversed(parts) if part not in _WRAPPERS), "")


def _loaded(text: str) -> Any:
    try:
        return json.loads(text.strip().removeprefix("<!--").removesuffix("-->"))
    except (ValueError, RecursionError):
        return None


def _assigned(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the variables that a script sets to json, with their values; what only JavaScript can read is passed over."""
    decoder = json.JSONDecoder()
    for match in _ASSIGNED.finditer(text):
        try:
            value, _ = decoder.raw_decode(text, match.end())
            if match[2] and isinstance(value, str):
                value = json.loads(value)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list | dict):
            yield match[1], value


def _nodes(data: Any, pointer: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the typed nodes of JSON-LD: of lists, graphs and item lists; a node within another is part of that."""
    if isinstance(data, list):
        for number, entry in enumerate(data):
            yield from _nodes(entry, f"{pointer}/{number}")
    elif isinstance(data, dict):
        if "@graph" in data:
            yield from _nodes(data["@graph"], f"{pointer}/@graph")
        elif data.get("@type") == "ItemList":
            for number, entry in enumerate(_as_list(data.get("itemListElement"))):
                inner = entry.get("item") if isinstance(entry, dict) else None
                place = f"{pointer}/itemListElement/{number}"
                yield from _nodes(inner if isinstance(inner, dict) else entry, f"{place}/item" if inner else place)
        elif "mainEntity" in data and data.get("@type") in _OF_THE_PAGE:
            yield from _nodes(data["mainEntity"], f"{pointer}/mainEntity")
        elif "@type" in data:
            yield data, pointer


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> Any:
    """Return a node without what is about the markup itself: contexts and the types of parts."""
    if isinstance(value, dict):
        kept = {key: _plain(entry) for key, entry in value.items() if key not in ("@context", "@type")}
        return {key.removeprefix("@"): entry for key, entry in kept.items()}
    if isinstance(value, list):
        texts = [entry for entry in value if not isinstance(entry, dict | list)]
        return "; ".join(map(str, texts)) if texts and len(texts) == len(value) else [_plain(entry) for entry in value]
    return value
