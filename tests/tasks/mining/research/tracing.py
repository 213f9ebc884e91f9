"""Follows a row's place on its page with other code than the one that wrote it."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from lxml import html

from tasks.mining.browsing.store import PageRecord, PageStore


def cells_at(place: str, record: PageRecord, store: PageStore) -> set[str]:
    """Return the texts that stand at a place of a page: of a table's row, a list's item, a record of json or csv."""
    number = re.match(r"state (\d+), ", place)
    body = store.body(record.states[int(number[1]) - 1 if number else 0] if record.states else record.sha256)
    place = place.removeprefix(number[0] if number else "")
    if match := re.fullmatch(r"table (\d+)(?:, row (\d+))?", place):
        table = html.fromstring(body.decode()).xpath("//table")[int(match[1]) - 1]
        rows = [row for row in table.xpath(".//tr") if row.xpath("./td|./th")]
        scope = [table] if match[2] is None else [rows[int(match[2]) - 1], *_reaching(rows, int(match[2]) - 1)]
        return _texts(scope, "td|th") | _title(body)
    if match := re.fullmatch(r"list (\d+)", place):
        return _texts([html.fromstring(body.decode()).xpath("//dl")[int(match[1]) - 1]], "dd") | _title(body)
    if match := re.fullmatch(r"list \.([\w-]+), item (\d+)", place):
        return _texts(
            [html.fromstring(body.decode()).xpath(f"//*[contains(@class, '{match[1]}')]")[int(match[2]) - 1]], "*"
        )
    if match := re.fullmatch(r"json-ld (\d+), (/.*)", place):
        script = html.fromstring(body.decode()).xpath("//script[@type='application/ld+json']")[int(match[1]) - 1]
        return _leaves(_resolve(json.loads(script.text), match[2]))
    if match := re.fullmatch(r"(\w+): (/.*)", place):
        return _leaves(_resolve(_json(body, match[1]), match[2]))
    if match := re.fullmatch(r"row (\d+)", place):
        return set(list(csv.reader(io.StringIO(body.decode())))[int(match[1])])
    raise AssertionError(f"no such place: {place}")


def _reaching(rows: list[Any], number: int) -> list[Any]:
    """Return the cells of earlier rows that span down to this one."""
    return [
        cell
        for above in range(number)
        for cell in rows[above].xpath("./td|./th")
        if above + int(cell.get("rowspan", "1")) > number
    ]


def _texts(elements: list[Any], tags: str) -> set[str]:
    inner = "|".join(f".//{tag}" for tag in tags.split("|"))
    found = [cell for element in elements for cell in [element, *element.xpath(inner)]]
    return {" ".join(cell.text_content().split()) for cell in found}


def _title(body: bytes) -> set[str]:
    return {" ".join(h.text_content().split()) for h in html.fromstring(body.decode()).xpath("//h1")}


def _json(body: bytes, name: str) -> Any:
    if body.lstrip()[:1] in (b"[", b"{"):
        return json.loads(body)
    page = html.fromstring(body.decode())
    named = page.xpath(f"//script[@id='{name}']")
    if named:
        return json.loads(named[0].text)
    text = next(s.text for s in page.xpath("//script") if s.text and f"window.{name} = " in s.text)
    return json.JSONDecoder().raw_decode(text.partition(f"window.{name} = ")[2])[0]


def _resolve(data: Any, pointer: str) -> Any:
    for part in pointer.strip("/").split("/") if pointer != "/" else []:
        key = part.replace("~1", "/").replace("~0", "~")
        data = data[int(key)] if isinstance(data, list) else data[key]
    return data


def _leaves(data: Any) -> set[str]:
    if isinstance(data, dict | list):
        return {text for value in (data.values() if isinstance(data, dict) else data) for text in _leaves(value)}
    return {str(data)}
