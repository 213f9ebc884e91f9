"""What extraction gives: a table as one page has it, every row with its place on that page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["table", "definitions", "linked_data", "microdata", "json", "cards", "file", "written"]
Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class FoundTable:
    """A table on one page: `columns` as the page calls them, `places[i]` where row i stands.

    `name` is what the page calls it: a caption, a type, a path within json; '' when it says nothing. A table that
    is `closed` has its columns by design, one of records may lack some of them on another page.
    """

    kind: Kind
    name: str
    columns: tuple[str, ...]
    rows: tuple[Cells, ...]
    places: tuple[str, ...]
    closed: bool = True


@dataclass
class Records:
    """Records gathered one by one into a table whose columns are all their fields, in order of appearance."""

    kind: Kind
    name: str
    _columns: dict[str, None] = field(default_factory=dict)
    _rows: list[Mapping[str, str]] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)

    def add(self, values: Mapping[str, str], place: str) -> None:
        """Take a record, unless it has no value."""
        if any(values.values()):
            self._columns |= dict.fromkeys(values)
            self._rows.append(values)
            self._places.append(place)

    def __len__(self) -> int:
        return len(self._rows)

    def table(self) -> FoundTable:
        """Return the records as a table; a missing field is None."""
        columns = tuple(self._columns)
        rows = tuple(tuple(row.get(column) or None for column in columns) for row in self._rows)
        return FoundTable(self.kind, self.name, columns, rows, tuple(self._places), closed=False)


def unique_columns(names: Iterable[str]) -> list[str]:
    """Return names with a number behind those that came before."""
    found: list[str] = []
    for name in names:
        free, number = name, 2
        while free in found:
            free, number = f"{name} {number}", number + 1
        found.append(free)
    return found


def without_void(table: FoundTable) -> FoundTable | None:
    """Leave out columns without a value and rows without one; None when nothing remains."""
    kept = [i for i in range(len(table.columns)) if any(row[i] for row in table.rows)]
    lines = [n for n, row in enumerate(table.rows) if any(row)]
    if not kept or not lines:
        return None

    def chosen(row: Sequence[str | None]) -> Cells:
        return tuple(row[i] for i in kept)

    return FoundTable(
        table.kind,
        table.name,
        tuple(table.columns[i] for i in kept),
        tuple(chosen(table.rows[n]) for n in lines),
        tuple(table.places[n] for n in lines),
        table.closed,
    )
