"""Readers: one file of any supported format becomes a frame of text, row for row.

Every column is pl.String (null where the file has none), so that typing is one path for all
formats: an integer of a Parquet file and one of a CSV file are inferred alike. Nothing is
dropped here.
"""

from __future__ import annotations

import codecs
import gzip
import json
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from schemas.errors import UsageError
from schemas.identity import canonical_json

_SQLITE_SUFFIXES = {".sqlite", ".sqlite3", ".db"}
_MOST_NAMES = 20
_DJANGO_KEYS = {"pk", "model", "fields"}
_DAMAGE = (pl.exceptions.PolarsError, zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)
"""What parsers raise for files that are not what they seem; RuntimeError for locked zips and endless nesting."""
FORMATS = ".csv, .csv.gz, .json, .json.gz, .zip of those, .sqlite, .parquet"


def read_records(path: Path, member: str | None = None, discriminator: str | None = None) -> pl.DataFrame:
    """Return the records of one file, all columns as text, in the file's order.

    `member` is the member of a zip, the table of a SQLite file, the top-level key of a json map or,
    with `discriminator`, the value that this key of a json record must have. Raises UsageError when
    the format is unknown, the file is damaged or the member is not there.
    """
    suffix = path.suffix.lower()
    if suffix in _SQLITE_SUFFIXES:
        return _read_sqlite(path, member)
    try:
        if suffix == ".parquet":
            return _as_text(pl.read_parquet(path))
        name, content = _content(path, member)
        # A zip's member has been used up; what is left in `member` is for json.
        inner = None if suffix == ".zip" and not discriminator else member
        return _parser(path, name)(content, path, inner, discriminator)
    except _DAMAGE as error:
        reason = _first_line(error)
        raise UsageError(f"cannot read {path}: {reason}. Check that the file is whole, then run again") from error


def _content(path: Path, member: str | None) -> tuple[str, bytes]:
    """Return the data's file name and bytes, decompressed."""
    if path.suffix.lower() == ".gz":
        return path.name[:-3], gzip.decompress(path.read_bytes())
    if path.suffix.lower() != ".zip":
        return path.name, path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if not name.endswith("/"))
        name = member if member in names else names[0] if len(names) == 1 else None
        if name is None:
            raise UsageError(f"{path} has no member {member!r}. Name one of: {', '.join(names)}")
        return name, archive.read(name)


def _parser(path: Path, name: str) -> Callable[[bytes, Path, str | None, str | None], pl.DataFrame]:
    if name.lower().endswith(".csv"):
        return _parse_csv
    if name.lower().endswith(".json"):
        return _parse_json
    raise UsageError(f"cannot read {path}: {name} is in no known format. Known: {FORMATS}")


def _parse_csv(content: bytes, path: Path, member: str | None, discriminator: str | None) -> pl.DataFrame:
    content.decode("utf-8")  # polars lets a damaged header pass
    return pl.read_csv(content.removeprefix(codecs.BOM_UTF8), infer_schema=False)


def _parse_json(content: bytes, path: Path, member: str | None, discriminator: str | None) -> pl.DataFrame:
    data = json.loads(content)
    if discriminator is None and member is not None:
        if not isinstance(data, dict) or member not in data:
            names = sorted(data)[:_MOST_NAMES] if isinstance(data, dict) else []
            raise UsageError(f"{path} has no key {member!r}. Name one of: {', '.join(names) or 'none, it is no map'}")
        data = data[member]
    records = _records(data, path)
    if discriminator is not None:
        found = {str(record.get(discriminator)) for record in records}
        records = [record for record in records if str(record.get(discriminator)) == member]
        if not records:
            names = ", ".join(sorted(found)[:_MOST_NAMES])
            raise UsageError(f"{path} has no record whose {discriminator} is {member!r}. Name one of: {names}")
    return _frame_of_records([_lift_fields(record) for record in records])


def _records(data: Any, path: Path) -> list[dict[str, Any]]:
    """Return a list of records, or a map of records with its keys as a field `key`."""
    if isinstance(data, dict):
        data = [{"key": key, **value} if isinstance(value, dict) else value for key, value in data.items()]
    if not isinstance(data, list) or not all(isinstance(record, dict) for record in data):
        raise UsageError(f"{path} is neither a list nor a map of records. Name the key that holds one as `member`")
    return data


def _lift_fields(record: dict[str, Any]) -> dict[str, Any]:
    """Flatten a record of a Django fixture: its fields stand beside its `pk`."""
    if set(record) == _DJANGO_KEYS and isinstance(record["fields"], dict):
        return {"pk": record["pk"], **record["fields"]}
    return record


def _read_sqlite(path: Path, member: str | None) -> pl.DataFrame:
    try:
        # as_uri quotes what a URI would read otherwise; mode=ro creates and changes nothing.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            tables = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"))
            if member not in tables:
                raise UsageError(f"{path} has no table {member!r}. Name one of: {', '.join(tables)}")
            quoted = '"' + member.replace('"', '""') + '"'
            order = "" if "without rowid" in tables[member].lower() else " ORDER BY rowid"
            cursor = connection.execute(f"SELECT * FROM {quoted}{order}")
            return _frame_of_rows([column[0] for column in cursor.description], cursor)
    except sqlite3.Error as error:
        raise UsageError(f"cannot read {path}: {error}. Check that it is a SQLite database, then run again") from error


def _frame_of_records(records: list[dict[str, Any]]) -> pl.DataFrame:
    columns = list(dict.fromkeys(key for record in records for key in record))
    return _frame_of_rows(columns, ([record.get(column) for column in columns] for record in records))


def _frame_of_rows(columns: list[str], rows: Iterable[Iterable[Any]]) -> pl.DataFrame:
    texts = [[_text(value) for value in row] for row in rows]
    values: Mapping[str, list[str | None]] = {column: [row[i] for row in texts] for i, column in enumerate(columns)}
    return pl.DataFrame(values, schema={column: pl.String for column in columns})


def _text(value: Any) -> str | None:
    """Return a cell as text that typing reads back to an equal value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bytes):
        return value.hex()
    return canonical_json(value)


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.col(name).cast(pl.String) for name in frame.columns)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
