"""The difference between two states of a world's files, by their content and not their formatting.

.json           by path, a list of records with a key by row: order of fields, spacing, 1 and 1.0
                do not count
.csv .tsv       rows under the first line's columns, by key: quoting and order of rows and columns
                do not count
.yaml .yml      as json, if both states are in the plain subset (`plain_yaml.py`)
everything else, and what is not well-formed on either side: the sha256 of the bytes

A list of records has a key if one field is in every record of both states, is text or a whole
number, and unique in each state: `id` first, then `…_id`, then in the seed's order of fields.
The order of such records does not count, as in a table; that of other lists does. Changes have
the form of `rows.py`. By path: {"path", "value"} inserted or deleted, {"key": path, "old":
{"value"}, "new": {"value"}} updated; a record whose fields are others is deleted and inserted.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .bundle import walk_files
from .plain_yaml import parse as parse_yaml
from .rows import Change, Difference, Row, match

WHOLE = 2.0**53
"""Beyond it a float no longer tells whole numbers apart."""
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class NotWellFormed(ValueError):
    """Bytes that are not what their file's name says, or that readers understand differently."""


def compare_files(seed: Path, final: Path, ignored: Sequence[str] = ()) -> Difference:
    """Return path → change for the files below `files/` of two folders, sorted, equal and `ignored` ones left out."""
    names = {*walk_files(seed), *walk_files(final)} - set(ignored)
    difference = {}
    for name in sorted(names):
        change = compare_file(name, _read(seed / name), _read(final / name))
        if any(change.values()):
            difference[name] = change
    return difference


def _read(path: Path) -> bytes | None:
    if path.is_symlink():
        raise OSError(f"{path} became a link")
    return path.read_bytes() if path.exists() else None


def compare_file(name: str, old: bytes | None, new: bytes | None) -> Change:
    """Return the change of one file; None: it is not there."""
    if old == new:
        return _change()
    if old is None or new is None:
        return _change(inserted=_digests(new), deleted=_digests(old))
    compare = _COMPARISONS.get(Path(name).suffix.lower())
    if compare is not None:
        try:
            return compare(old, new)
        except (ValueError, RecursionError, csv.Error):  # not well-formed on one side
            pass
    ((was,), (now,)) = _digests(old), _digests(new)
    return _change(updated=[{"key": "content", "old": was, "new": now}])


def _change(
    inserted: list[Row] | None = None, updated: list[Row] | None = None, deleted: list[Row] | None = None
) -> Change:
    return {"inserted": inserted or [], "updated": updated or [], "deleted": deleted or []}


def _digests(data: bytes | None) -> list[Row]:
    return [] if data is None else [{"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}]


# --- values: json and yaml ----------------------------------------------------------------


def read_json(data: bytes) -> Any:
    """Return the canonical value of strict JSON; ValueError for anything else."""
    return canonical(json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_refuse))


def read_yaml(data: bytes) -> Any:
    """Return the canonical value of YAML in the plain subset; ValueError for anything else."""
    return canonical(parse_yaml(data.decode("utf-8-sig")))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise NotWellFormed("a field twice")
    return record


def _refuse(name: str) -> NoReturn:
    raise NotWellFormed(f"{name} is not JSON")


def canonical(value: Any) -> Any:
    """Return `value` with whole floats as integers; ValueError for what no JSON text can hold."""
    if isinstance(value, dict):
        return {canonical(name): canonical(part) for name, part in value.items()}
    if isinstance(value, list):
        return [canonical(part) for part in value]
    if isinstance(value, str):
        value.encode()  # half a character raises
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotWellFormed("a number out of range")
        return int(value) if value.is_integer() and abs(value) < WHOLE else value
    return value


def text_of(value: Any) -> str:
    """Return one text for equal canonical values: 1 and true are two, the order of fields is none."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def compare_values(old: Any, new: Any) -> Change:
    """Return the change between two canonical values."""
    if (key := record_key(old, new)) is not None:
        return compare_records(old, new, key)
    change = _change()
    _collect("$", old, new, change)
    return change


def _collect(path: str, old: Any, new: Any, change: Change) -> None:
    if text_of(old) == text_of(new):
        return
    if not ((isinstance(old, dict) and isinstance(new, dict)) or (isinstance(old, list) and isinstance(new, list))):
        change["updated"].append({"key": path, "old": {"value": old}, "new": {"value": new}})
        return
    key = record_key(old, new)
    before, after = _parts(old, key), _parts(new, key)
    for segment in sorted(before.keys() | after.keys(), key=_segment_rank):
        place = path + _spell(segment)
        if segment not in after:
            change["deleted"].append({"path": place, "value": before[segment]})
        elif segment not in before:
            change["inserted"].append({"path": place, "value": after[segment]})
        else:
            _collect(place, before[segment], after[segment], change)


Segment = str | int | tuple[str, str | int]
"""A field's name, an index, or a key with its value."""


def _parts(value: Any, key: str | None) -> dict[Segment, Any]:
    if isinstance(value, dict):
        return dict(value)
    return {(key, record[key]): record for record in value} if key is not None else dict(enumerate(value))


def _segment_rank(segment: Segment) -> tuple[Any, ...]:
    parts = segment if isinstance(segment, tuple) else (segment,)
    return tuple((isinstance(part, str), part) for part in parts)


def _spell(segment: Segment) -> str:
    if isinstance(segment, tuple):
        name, value = segment
        return f"[{json.dumps(name, ensure_ascii=False)}={json.dumps(value, ensure_ascii=False)}]"
    if isinstance(segment, int):
        return f"[{segment}]"
    return f".{segment}" if NAME.fullmatch(segment) else f"[{json.dumps(segment, ensure_ascii=False)}]"


# --- records: lists in json and yaml, rows of csv -----------------------------------------


def record_key(old: Any, new: Any) -> str | None:
    """Return the field by which two lists of records are matched, None if there isn't any."""
    if not (isinstance(old, list) and isinstance(new, list) and (old or new)):
        return None
    if not all(isinstance(record, dict) for record in (*old, *new)):
        return None
    first, shared = (old or new)[0], set.intersection(*(set(record) for record in (*old, *new)))
    fields = sorted(shared, key=list(first).index if old else None)
    fields.sort(key=lambda name: (name != "id", not name.endswith("_id")))
    return next((name for name in fields if _is_unique(old, name) and _is_unique(new, name)), None)


def _is_unique(records: list[Row], name: str) -> bool:
    values = [record[name] for record in records]
    return all(type(value) in (int, str) for value in values) and len(set(values)) == len(values)


def compare_records(old: list[Row], new: list[Row], key: str) -> Change:
    """Return the change between two lists of records, sorted by their key."""
    before, after = {record[key]: record for record in old}, {record[key]: record for record in new}
    change = _change()
    for value in sorted(before.keys() | after.keys(), key=lambda value: (isinstance(value, str), value)):
        was, now = before.get(value), after.get(value)
        if was is not None and now is not None and was.keys() == now.keys():
            changed = [name for name in sorted(was) if text_of(was[name]) != text_of(now[name])]
            if changed:
                sides = {"old": {name: was[name] for name in changed}, "new": {name: now[name] for name in changed}}
                change["updated"].append({"key": value, **sides})
            continue
        change["deleted"] += [was] if was is not None else []
        change["inserted"] += [now] if now is not None else []
    return change


# --- rows: csv ----------------------------------------------------------------------------


def read_rows(data: bytes, delimiter: str = ",") -> tuple[list[str], list[Row]]:
    """Return the columns and the rows of a csv file, all text; ValueError or csv.Error when it is ragged."""
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=True)
    columns = next(lines, [])
    rows = []
    for line in lines:
        if line or len(columns) < 2:  # in one column an empty line may be a row
            rows.append(dict(zip(columns, line, strict=True)))
    if len(set(columns)) != len(columns):
        raise NotWellFormed("a column twice")
    return columns, rows


def compare_tables(old: tuple[list[str], list[Row]], new: tuple[list[str], list[Row]]) -> Change:
    """Return the change between two tables of text."""
    (before, old_rows), (after, new_rows) = old, new
    if sorted(before) != sorted(after):
        change = match(old_rows, new_rows, ())
        change["updated"] = [{"key": "columns", "old": {"columns": sorted(before)}, "new": {"columns": sorted(after)}}]
        return change
    if (key := record_key(old_rows, new_rows)) is not None:
        return compare_records(old_rows, new_rows, key)
    return match(_in_one_order(old_rows), _in_one_order(new_rows), ())


def _in_one_order(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in sorted(row)} for row in rows]


_COMPARISONS: dict[str, Callable[[bytes, bytes], Change]] = {
    ".json": lambda old, new: compare_values(read_json(old), read_json(new)),
    ".yaml": lambda old, new: compare_values(read_yaml(old), read_yaml(new)),
    ".yml": lambda old, new: compare_values(read_yaml(old), read_yaml(new)),
    ".csv": lambda old, new: compare_tables(read_rows(old), read_rows(new)),
    ".tsv": lambda old, new: compare_tables(read_rows(old, "\t"), read_rows(new, "\t")),
}
