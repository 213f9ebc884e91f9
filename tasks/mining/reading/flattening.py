"""Flattening: nested records become linked tables of text.

An object's fields are columns `address_city`. A list of objects is a table of its own, named by its path
(`orders[].lines[]`), whose rows carry the key of the row that held them: that row's own id where it has a
unique one, else a row number that both get. A list of plain values is such a table with one column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from tasks.mining.columns.naming import WRAPPERS, singular_of, snake_case
from tasks.mining.reading.cells import as_text
from tasks.mining.reading.contents import Content
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal
from tasks.mining.reading.reservoir import Reservoir

Field = tuple[str, ...]
Records = Callable[[], Iterable[Any]]
"""Gives the records of a table anew each time it is called, in one order."""

_OWN_KEYS = ("id", "_id", "pk", "key", "uuid", "guid", "code")
_KEY_ENDINGS = ("_id", "Id", "ID", "_code", "Code", "_key")
_MOST_KEYS = 2_000_000
"""Beyond this many rows no column is looked at for being a key: a row number serves."""


@dataclass
class Shape:
    """One table's form as found in all its records: columns, tables within, and columns that may be its key."""

    member: str | None
    noun: str
    columns: dict[Field, str] = field(default_factory=dict)
    within: dict[Field, Shape] = field(default_factory=dict)
    rows: int = 0
    unreadable: int = 0
    seen: dict[Field, set[str] | None] = field(default_factory=dict)

    def key(self) -> Field | None:
        """Return the column that identifies a row by its name and its values; None when no one does."""
        own = [*_OWN_KEYS, *(f"{self.noun}_{base}" for base in _OWN_KEYS), self.noun]
        unique = [path for path, seen in self.seen.items() if seen is not None and 0 < len(seen) == self.rows]
        ranked = sorted(unique, key=lambda path: own.index(path[0].lower()) if path[0].lower() in own else len(own))
        best = ranked[0] if ranked else None
        # Another table's id that happens to be unique here stands further back in the record.
        is_own = best is not None and (best[0].lower() in own or best == next(iter(self.columns)))
        return best if is_own else None

    def key_column(self) -> str:
        """Return what tables within call this table's key: 'order_id'."""
        path = self.key()
        if path is None:
            return f"{self.noun}_id"
        name = path[0].lower().strip("_")
        if name not in _OWN_KEYS:
            return self.columns[path]
        return f"{self.noun}_code" if name == "code" else f"{self.noun}_id"

    def all_within(self) -> Iterator[Shape]:
        """Yield this table and all tables within, parents first."""
        yield self
        for shape in self.within.values():
            yield from shape.all_within()


class Tree:
    """The tables that named lists of records are taken apart into; the records are read twice, never kept."""

    def __init__(self, content: Content, roots: Mapping[str | None, Records], limits: ReadingLimits) -> None:
        self._content, self._roots, self._limits = content, roots, limits
        self._shapes = {name: self._survey(name, records) for name, records in roots.items()}

    def names(self) -> list[str | None]:
        """Return the names of all tables, each before those within it."""
        return [shape.member for root in self._shapes.values() for shape in root.all_within()]

    def members(self) -> list[str | None]:
        """Return how each table is asked for: [None] for a single one."""
        names = self.names()
        return [None] if len(names) == 1 else names

    def rows(self) -> int:
        """Return how many records there are."""
        return sum(shape.rows for shape in self._shapes.values())

    def table(self, member: str | None) -> RawTable:
        """Return one table; no_member when there is none of that name."""
        names = self.names()
        wanted = names[0] if member is None and (None in names or len(names) == 1) else member
        for name, root in self._shapes.items():
            way = _way(root, wanted)
            if way:
                return self._read(self._roots[name], way)
        known = ", ".join(str(name) for name in names if name) or "none, it is one table"
        raise refusal("no_member", self._content.path, f"it has no table {member!r}", f"Name one of: {known}")

    def _survey(self, name: str | None, records: Records) -> Shape:
        called = snake_case((name or "").split(".")[-1])
        said = (
            called if name and called not in WRAPPERS else snake_case(PurePath(self._content.name).stem.split(".")[0])
        )
        shape = Shape(name, singular_of(said))
        for record in records():
            if isinstance(record, dict):
                self._look(shape, record, 1)
            else:
                shape.unreadable += 1
        return shape

    def _look(self, shape: Shape, record: Mapping[str, Any], depth: int) -> None:
        shape.rows += 1
        for path, value in self._apart(record, depth):
            if _is_table(value):
                child = shape.within.get(path)
                if child is None:
                    child = Shape(f"{shape.member or ''}[].{'.'.join(path)}[]", singular_of(snake_case(path[-1])))
                    shape.within[path] = child
                for item in _items(value, child.noun):
                    self._look(child, item, depth + len(path))
            else:
                if path not in shape.columns:
                    shape.columns[path] = _free("_".join(path), shape.columns.values())
                if len(path) == 1:
                    _note_key(shape, path, value)

    def _apart(self, record: Mapping[str, Any], depth: int) -> Iterator[tuple[Field, Any]]:
        """Yield each plain value and each list of a record with its path; too_deep beyond the limit."""
        if depth > self._limits.depth:
            what = f"{self._content.name} is nested more than {self._limits.depth} levels deep"
            raise refusal("too_deep", self._content.path, what, "Flatten it, then run again")
        for key, value in record.items():
            if isinstance(value, dict):
                for path, inner in self._apart(value, depth + 1):
                    yield (str(key), *path), inner
            elif value != []:
                yield (str(key),), value

    def _read(self, records: Records, way: list[tuple[Field, Shape]]) -> RawTable:
        target = way[-1][1]
        added = [way[-2][1].key_column()] if len(way) > 1 else []
        if target.within and target.key() is None:
            added.append(target.key_column())
        columns: list[str] = []
        for name in [*added, *target.columns.values()]:
            columns.append(_free(name, columns))
        kept = Reservoir(columns, self._limits)
        keys = [shape.key() for _, shape in way]
        numbers = [0] * len(way)
        for record in records():
            if isinstance(record, dict):
                for row in self._rows(record, way, keys, numbers):
                    kept.add(row)
        return kept.table(target.unreadable, list(_repairs(target, way)))

    def _rows(
        self, record: Mapping[str, Any], way: list[tuple[Field, Shape]], keys: list[Field | None], numbers: list[int]
    ) -> Iterator[list[str | None]]:
        """Yield the rows of the way's last table in one record of a table on it, without the keys of those above.

        `numbers` counts the records of the way's tables; `keys` and `numbers` are as long as the whole way.
        """
        level = len(numbers) - len(way)
        shape = way[0][1]
        numbers[level] += 1
        values = dict(self._apart(record, 1))
        number = str(numbers[level]) if shape.within and keys[level] is None else None
        if len(way) == 1:
            own = [number] if number else []
            yield [
                *own,
                *(None if _is_table(values.get(path)) else as_text(values.get(path)) for path in shape.columns),
            ]
            return
        path, child = way[1]
        if _is_table(values.get(path)):
            held = number or as_text(values[keys[level] or ()])
            for item in _items(values[path], child.noun):
                for row in self._rows(item, way[1:], keys, numbers):
                    yield [held, *row] if len(way) == 2 else row


def _repairs(target: Shape, way: list[tuple[Field, Shape]]) -> Iterator[Repair]:
    nested = [name for path, name in target.columns.items() if len(path) > 1]
    if nested:
        yield Repair("flattened", f"{len(nested)} columns from objects within, such as {nested[0]}")
    if target.within:
        yield Repair(
            "flattened", f"lists within are tables: {', '.join(s.member or '' for s in target.within.values())}"
        )
    if len(way) > 1:
        yield Repair(
            "flattened", f"a list within {way[-2][1].member or 'each record'}, linked by {way[-2][1].key_column()}"
        )
    if target.unreadable:
        yield Repair("flattened", f"{target.unreadable} entries that are no records left out", target.unreadable)


def _way(shape: Shape, member: str | None) -> list[tuple[Field, Shape]]:
    """Return the tables from a root down to the one of that name, each with its path in the former; [] for none."""
    if shape.member == member:
        return [((), shape)]
    for path, child in shape.within.items():
        if below := _way(child, member):
            return [((), shape), (path, below[0][1]), *below[1:]]
    return []


def _is_table(value: Any) -> bool:
    """Whether a list has items that are no lists themselves: coordinates and matrices stay values."""
    return isinstance(value, list) and any(not isinstance(item, list) for item in value)


def _items(values: list[Any], noun: str) -> Iterator[Mapping[str, Any]]:
    for value in values:
        yield value if isinstance(value, dict) else {noun: value}


def _note_key(shape: Shape, path: Field, value: Any) -> None:
    name = path[0]
    if not (name.lower() in _OWN_KEYS or name.endswith(_KEY_ENDINGS) or name.lower() == shape.noun):
        return
    text = as_text(value)
    seen = shape.seen.setdefault(path, set() if shape.rows == 1 else None)
    if seen is not None:
        if text is None or text in seen or shape.rows > _MOST_KEYS:
            shape.seen[path] = None
        else:
            seen.add(text)


def _free(name: str, taken: Iterable[str]) -> str:
    used = set(taken)
    free, number = name, 2
    while free in used:
        free, number = f"{name}_{number}", number + 1
    return free
