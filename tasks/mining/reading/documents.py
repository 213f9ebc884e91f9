"""Documents: json in the shapes that tables come in, and json lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tasks.mining.reading.cells import as_text
from tasks.mining.reading.contents import Content
from tasks.mining.reading.encodings import detect, whole_text
from tasks.mining.reading.flattening import Tree
from tasks.mining.reading.grids import table_of_grid
from tasks.mining.reading.lines import Lines
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal
from tasks.mining.reading.reservoir import Reservoir

_DJANGO_KEYS = {"pk", "model", "fields"}
_ALIKE = 0.8
"""A map is one of records when this share of its entries has the commonest field."""
_MOST_NAMES = 20
_SMALLER = "Convert it to jsonl, one record a line, then run again"


class _Grid(list):
    """Lines of cells rather than records; the first one is the header."""


def document_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return the tables of a json document: its lists of records by path, with the lists within those."""
    tree, grids, _ = _parsed(content, limits)
    names = ([] if tree is None else tree.names()) + list(grids)
    if not names:
        what = f"{content.name} is neither a list nor a map of records"
        raise refusal("no_table", content.path, what, "Bring it as a list of objects")
    return [None] if len(names) == 1 else names


def read_document(content: Content, member: str | None, discriminator: str | None, limits: ReadingLimits) -> RawTable:
    """Return one table of a json document.

    With `discriminator` the records of one list whose field of that name equals `member`; lists within stay json.
    """
    if discriminator is not None:
        return _chosen(content, member, discriminator, limits)
    tree, grids, told = _parsed(content, limits)
    if member in grids or (member is None and tree is None and len(grids) == 1):
        table = table_of_grid(next(iter(grids.values())) if member is None else grids[member], limits, 1)
        if table is None:
            raise refusal("empty", content.path, f"{content.name} holds no cell", "Leave it out")
    elif tree is None:
        document_members(content, limits)
        raise refusal(
            "no_member", content.path, f"it has no table {member!r}", f"Name one of: {', '.join(map(str, grids))}"
        )
    else:
        table = tree.table(member)
    return replace(table, repairs=(*told, *table.repairs))


def lines_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return the tables of json lines: [None], or the records and the lists within them."""
    return _JsonLines(content, limits).tree().members()


def read_lines(content: Content, member: str | None, limits: ReadingLimits) -> RawTable:
    """Return one table of json lines; a line that is no object is unreadable and counts in the first table."""
    source = _JsonLines(content, limits)
    table = source.tree().table(member)
    return replace(table, repairs=(*source.repairs(), *table.repairs))


class _JsonLines:
    """The records of json lines; a broken line is given as None, which is no record."""

    def __init__(self, content: Content, limits: ReadingLimits) -> None:
        self._content, self._limits = content, limits
        self._encoding = detect(content)
        self._lines: Lines | None = None

    def tree(self) -> Tree:
        """Return the tables in the records; refused as damaged when no line holds one."""
        tree = Tree(self._content, {None: self._records}, self._limits)
        if not tree.rows():
            raise refusal("damaged", self._content.path, f"{self._content.name} has no line of json", "Check the file")
        return tree

    def repairs(self) -> list[Repair]:
        """Return what was mended in the text."""
        return [*self._encoding.repairs, *(self._lines.repairs() if self._lines else ())]

    def _records(self) -> Iterator[Any]:
        self._lines = Lines(self._content, self._encoding, self._limits)
        for line in self._lines:
            self._lines.release()
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    yield None


def _load(content: Content, limits: ReadingLimits) -> tuple[Any, tuple[Repair, ...]]:
    text, encoding = whole_text(content, limits.document_bytes, _SMALLER)
    if not text.strip():
        raise refusal("empty", content.path, f"{content.name} holds nothing but blanks", "Leave it out")
    try:
        return json.loads(text), encoding.repairs
    except RecursionError as error:
        raise refusal("too_deep", content.path, f"{content.name} is nested endlessly", "Flatten it") from error
    except ValueError as error:
        raise refusal(
            "damaged", content.path, f"{content.name} is no whole json ({error})", "Check the file"
        ) from error


def _parsed(content: Content, limits: ReadingLimits) -> tuple[Tree | None, dict[str | None, _Grid], tuple[Repair, ...]]:
    data, told = _load(content, limits)
    found = _roots(data, None, limits.depth)
    grids = {name: value for name, value in found.items() if isinstance(value, _Grid)}
    roots = {name: value for name, value in found.items() if not isinstance(value, _Grid)}
    tree = Tree(content, {name: partial(iter, value) for name, value in roots.items()}, limits) if roots else None
    features = roots.get(None, []) if isinstance(data, dict) and data.get("type") == "FeatureCollection" else []
    if shapes := sum(1 for entry in features if isinstance(entry, dict) and entry.get("geometry_type")):
        told = (*told, Repair("flattened", f"coordinates of {shapes} lines and areas left out", shapes))
    return tree, grids, told


def _roots(data: Any, name: str | None, depth: int) -> dict[str | None, list[Any]]:
    """Return the lists of records in a document by path, in its order; lines of cells as a _Grid."""
    if isinstance(data, list):
        return _roots_of_list(data, name)
    if not isinstance(data, dict) or depth <= 0:
        return {}
    table = _table_of_map(data)
    if table is not None:
        return {name: table}
    found: dict[str | None, list[Any]] = {}
    for key, value in data.items():
        found.update(_roots(value, f"{name}.{key}" if name else str(key), depth - 1))
    return found


def _roots_of_list(data: list[Any], name: str | None) -> dict[str | None, list[Any]]:
    records = [entry for entry in data if isinstance(entry, dict)]
    if data and all(set(entry) == _DJANGO_KEYS and isinstance(entry["fields"], dict) for entry in records) and records:
        models: dict[str | None, list[Any]] = {}
        for entry in records:
            models.setdefault(str(entry["model"]), []).append(_lifted(entry))
        return models
    if records and len(records) * 2 >= len(data):
        return {name: data}
    if len(data) > 1 and all(isinstance(entry, list) for entry in data) and not any(map(_has_nested, data)):
        return {name: _Grid([as_text(cell) for cell in entry] for entry in data)}
    return {}


def _has_nested(entries: list[Any]) -> bool:
    return any(isinstance(entry, list | dict) for entry in entries)


def _table_of_map(data: dict[str, Any]) -> list[Any] | None:
    """Return the table that an object is as a whole: features, split or by columns, a map of records; else None."""
    values = list(data.values())
    if data.get("type") == "FeatureCollection" and isinstance(data.get("features"), list):
        return [_feature(entry) for entry in data["features"]]
    if isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):
        if not _has_nested(data["columns"]) and all(isinstance(row, list) for row in data["data"]):
            return _Grid([[as_text(cell) for cell in row] for row in [data["columns"], *data["data"]]])
    if len(values) > 1 and all(isinstance(v, list) and v and not _has_nested(v) for v in values):
        if len({len(value) for value in values}) == 1:
            return [dict(zip(data, row, strict=True)) for row in zip(*values, strict=True)]
    if not values or not all(isinstance(value, dict) for value in values):
        return None
    if len({tuple(value) for value in values}) == 1 and list(values[0]) == [str(i) for i in range(len(values[0]))]:
        return [dict(zip(data, row, strict=True)) for row in zip(*(v.values() for v in values), strict=True)]
    fields = Counter(field for value in values for field in value)
    if len(values) > 1 and fields and fields.most_common(1)[0][1] >= len(values) * _ALIKE:
        return [{"key": key, **value} for key, value in data.items()]
    return None


def _feature(entry: Any) -> Any:
    """Return a GeoJSON feature as a flat record: its properties, and where it is when it is a point."""
    if not isinstance(entry, dict):
        return entry
    shape = entry.get("geometry")
    geometry: dict[str, Any] = shape if isinstance(shape, dict) else {}
    record = {**({"id": entry["id"]} if "id" in entry else {}), **(entry.get("properties") or {})}
    place = geometry.get("coordinates")
    if geometry.get("type") == "Point" and isinstance(place, list) and len(place) >= 2:
        return {**record, "longitude": place[0], "latitude": place[1]}
    return {**record, "geometry_type": geometry.get("type")}


def _lifted(record: dict[str, Any]) -> dict[str, Any]:
    """Flatten a record of a Django fixture: its fields stand beside its `pk`."""
    if set(record) == _DJANGO_KEYS and isinstance(record["fields"], dict):
        return {"pk": record["pk"], **record["fields"]}
    return record


def _chosen(content: Content, member: str | None, discriminator: str, limits: ReadingLimits) -> RawTable:
    data, told = _load(content, limits)
    if isinstance(data, dict):
        data = [{"key": key, **value} if isinstance(value, dict) else value for key, value in data.items()]
    if not isinstance(data, list) or not all(isinstance(record, dict) for record in data):
        what = f"{content.name} is neither a list nor a map of records"
        raise refusal("no_table", content.path, what, "Name no discriminator")
    records = [_lifted(record) for record in data if str(record.get(discriminator)) == member]
    if not records:
        found = ", ".join(sorted({str(record.get(discriminator)) for record in data})[:_MOST_NAMES])
        what = f"it has no record whose {discriminator} is {member!r}"
        raise refusal("no_member", content.path, what, f"Name one of: {found}")
    columns = list(dict.fromkeys(key for record in records for key in record))
    kept = Reservoir(columns, limits)
    for record in records:
        kept.add([as_text(record.get(column)) for column in columns])
    return kept.table(0, told)
