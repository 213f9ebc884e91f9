"""Odd binary files, made by small functions: workbooks, databases, columns, archives."""

import gzip
import io
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl import Workbook

from tasks.mining.reading.raw import ReadingLimits
from tests.tasks.mining.reading.cases import refused, table

_CSV = b"a,b\n1,2\n3,4\n"
_SMALL = ReadingLimits(unpacked_bytes=100_000)


def workbook(*sheets: tuple[str, list[list[Any]]], then: Callable[[Workbook], None] | None = None) -> bytes:
    """Return a workbook of these sheets, changed by `then`."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if then:
        then(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def parquet(columns: dict[str, list[Any]], **options: Any) -> bytes:
    """Return a Parquet file of these columns."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def database(*statements: str) -> Callable[[Path], None]:
    """Return a maker of a SQLite file by these statements."""

    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return make


def _cut(content: bytes, share: float = 0.6) -> bytes:
    return content[: int(len(content) * share)]


def _cut_database(path: Path) -> None:
    many = ",".join(f"({i}, '{'x' * 200}')" for i in range(500))
    database("CREATE TABLE t (a INTEGER, b TEXT)", f"INSERT INTO t VALUES {many}")(path)
    path.write_bytes(_cut(path.read_bytes()))


def _merged(book: Workbook) -> None:
    sheet = book.active
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("A3:A4")


def _grouped(book: Workbook) -> None:
    sheet = book.active
    for area in ("A1:A2", "B1:C1", "D1:E1"):
        sheet.merge_cells(area)


def _locked(content: bytes) -> bytes:
    """Return a zip whose members say that they are locked by a password."""
    local, central = content.find(b"PK\x03\x04"), content.find(b"PK\x01\x02")
    changed = bytearray(content)
    changed[local + 6] |= 1
    changed[central + 8] |= 1
    return bytes(changed)


def _false_size(content: bytes) -> bytes:
    """Return a zip that declares a small size for a member which unpacks to much more."""
    changed = bytearray(content)
    changed[content.find(b"PK\x03\x04") + 22 :][:4] = b"\x10\x00\x00\x00"
    central = content.find(b"PK\x01\x02") + 24
    changed[central : central + 4] = (10).to_bytes(4, "little")
    return bytes(changed)


def _named_pipe_loop(path: Path) -> None:
    path.symlink_to(path)


_GROUPS = [
    ["Region", "2019", None, "2020", None],
    [None, "Sales", "Units", "Sales", "Units"],
    ["R1", 1, 2, 3, 4],
    ["R2", 5, 6, 7, 8],
]
_DATES = [["day", "moment", "n"], [date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), 1.5], [date(2020, 1, 3), None, 2]]
_PRICES = [["item", "price"], ["pen", 1.5], ["ink", 3]]
_TWO_BLOCKS = [*_PRICES, [], ["city", "mayor"], ["Ulm", "Ansbacher"], ["Bonn", "Dörner"]]

WORKBOOKS = [
    table("sheet.xlsx", workbook(("Prices", _PRICES)), 2, "item price", (0, "price", "1.5"), members=(None,)),
    table("two_sheets.xlsx", workbook(("A", _PRICES), ("B", [["x", "y"], [1, 2]])), 1, "x y", (0, "y", "2"), member="B",
          members=("A", "B")),
    table("empty_sheet_beside.xlsx", workbook(("A", _PRICES), ("B", [])), 2, "item price", members=(None,)),
    table("dates.xlsx", workbook(("A", _DATES)), 2, "day moment n", (0, "day", "2020-01-02")),
    table("moments.xlsx", workbook(("A", _DATES)), 2, "day moment n", (0, "moment", "2020-01-02T03:04:05")),
    table("title_and_merged_cells.xlsx", workbook(("A", [["Report", None, None], ["k", "n", "m"], ["a", 1, 2], [None, 3, 4]]),
          then=_merged), 2, "k n m", (1, "k", "a"), "preamble", "merged_cell"),
    table("grouped_header.xlsx", workbook(("A", _GROUPS), then=_grouped), 2, 5, (1, "2020 / Units", "8"),
          "multi_line_header", "merged_cell"),
    table("formulas_without_values.xlsx", workbook(("A", [["a", "b"], [1, "=A2*2"], [2, "=A3*2"]])), 2, "a b", (0, "b", None),
          "formula"),
    table("errors.xlsx", workbook(("A", [["a", "b"], [1, "#N/A"], [2, 5]])), 2, "a b", (0, "b", None), "formula"),
    table("hidden_sheet.xlsx", workbook(("A", _PRICES), ("B", _PRICES), then=lambda book: setattr(book["B"], "sheet_state",
          "hidden")), 2, "item price", None, "hidden_sheet", member="B"),
    table("two_blocks.xlsx", workbook(("A", _TWO_BLOCKS)), 2, "city mayor", (1, "city", "Bonn"), member="A#2",
          members=("A", "A#2")),
    table("first_of_two_blocks.xlsx", workbook(("A", _TWO_BLOCKS)), 2, "item price", (1, "item", "ink"), member="A"),
    table("gap_in_the_data.xlsx", workbook(("A", [*_PRICES, [], ["nib", 4]])), 3, "item price", (2, "item", "nib"),
          members=(None,)),
    table("table_off_the_corner.xlsx", workbook(("A", [[], [None, None, "a", "b"], [None, None, 1, 2], [None, None, 3, 4]])), 2,
          "a b", (1, "b", "4"), "empty_header"),
    table("total_row.xlsx", workbook(("A", [*_PRICES, ["Total", 4.5]])), 2, "item price", None, "footer"),
    table("workbook_called_csv.csv", workbook(("A", _PRICES)), 2, "item price", (0, "item", "pen")),
    refused("no_filled_sheet.xlsx", workbook(("A", [])), "no_table"),
    refused("no_such_sheet.xlsx", workbook(("A", _PRICES)), "no_member", member="Z"),
    refused("cut.xlsx", _cut(workbook(("A", _PRICES))), "damaged"),
    refused("text_called_xlsx.xlsx", b"a,b\n1,2\n", "damaged"),
    refused("locked.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
    refused("old_office.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "unknown_format"),
    refused("letter.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}), "unknown_format"),
]  # fmt: skip

DATABASES = [
    table("two_tables.sqlite", database("CREATE TABLE b (id INTEGER PRIMARY KEY, x REAL, y BLOB)", "CREATE TABLE a (id)",
          "INSERT INTO b VALUES (2, 0.1, x'01'), (1, NULL, NULL)"), 2, "id x y", (1, "y", "01"), member="b", members=("a", "b")),
    table("quoted_name.db", database('CREATE TABLE "order ""x""" (id)', 'INSERT INTO "order ""x""" VALUES (7)'), 1, "id",
          (0, "id", "7"), members=(None,)),
    table("write_ahead.sqlite", database("PRAGMA journal_mode = WAL", "CREATE TABLE t (id)", "INSERT INTO t VALUES (1)"), 1, "id"),
    table("broken_text.sqlite", database("CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES (CAST(x'41ff' AS TEXT))"), 1, "a",
          (0, "a", "A�"), "encoding"),
    table("rows_beyond.sqlite", database("CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3)"), 2, "a", None, "sampled",
          beyond=1, limits=ReadingLimits(rows=2)),
    refused("no_tables.sqlite", database("CREATE TABLE t (a)", "DROP TABLE t"), "no_table"),
    refused("no_such_table.sqlite", database("CREATE TABLE t (a)"), "no_member", member="u"),
    refused("cut.sqlite", _cut_database, "damaged"),
    refused("text_called_sqlite.sqlite", b"not a database, but long enough " * 40, "damaged"),
]  # fmt: skip

COLUMNS = [
    table("plain.parquet", parquet({"n": [1, None], "t": [datetime(2020, 1, 2), None], "b": [True, False]}), 2, "n t b",
          (0, "t", "2020-01-02 00:00:00.000000"), members=(None,)),
    table("nested.parquet", parquet({"id": [1, 2], "place": [{"x": 1}, {"x": 2}]}), 2, "id place_x", (1, "place_x", "2"),
          "flattened"),
    table("albums.parquet", parquet({"id": [1, 2], "tracks": [["a", "b"], ["c"]]}), 3, "album_id track", (2, "album_id", "2"),
          "flattened", member="[].tracks[]", members=(None, "[].tracks[]")),
    table("rows_beyond.parquet", parquet({"n": list(range(50))}, row_group_size=10), 20, "n", None, "sampled", beyond=30,
          limits=ReadingLimits(rows=20)),
    table("parquet_called_csv.csv", parquet({"n": [1]}), 1, "n", (0, "n", "1")),
    refused("cut.parquet", _cut(parquet({"n": [1, 2]})), "damaged"),
    refused("encrypted.parquet", b"PARE" + bytes(100) + b"PARE", "encrypted"),
]  # fmt: skip

ARCHIVES = [
    table("packed.csv.gz", gzip.compress(_CSV), 2, "a b", (1, "b", "4"), members=(None,)),
    table("packed_without_suffix.csv", gzip.compress(_CSV), 2, "a b"),
    table("packed.jsonl.gz", gzip.compress(b'{"a": 1}\n'), 1, "a"),
    table("one_file.zip", zipped({"data/a.csv": _CSV, "README.md": b"hello"}), 2, "a b", members=(None,)),
    table("two_files.zip", zipped({"b.csv": _CSV, "a.tsv": b"x\ty\n1\t2\n"}), 2, "a b", member="b.csv",
          members=("a.tsv", "b.csv")),
    table("left_by_a_mac.zip", zipped({"a.csv": _CSV, "__MACOSX/._a.csv": b"\x00\x05"}), 2, "a b", members=(None,)),
    table("workbook_within.zip", zipped({"b.xlsx": workbook(("P", _PRICES), ("Q", _PRICES)), "a.csv": _CSV}), 2, "item price",
          member="b.xlsx#Q", members=("a.csv", "b.xlsx#P", "b.xlsx#Q")),
    table("document_within.zip", zipped({"a.json": b'{"x": [{"k": 1}], "y": [{"k": 2}]}'}), 1, "k", (0, "k", "2"), member="y",
          members=("x", "y")),
    table("one_broken_of_two.zip", zipped({"a.csv": _CSV, "b.json": b"[{"}), 2, "a b", member="a.csv",
          members=("a.csv", "b.json")),
    refused("broken_one_of_two.zip", zipped({"a.csv": _CSV, "b.json": b"[{"}), "damaged", member="b.json"),
    refused("no_such_member.zip", zipped({"a.csv": _CSV, "b.csv": _CSV}), "no_member", member="c.csv"),
    refused("no_data.zip", zipped({"README.md": b"x", "photo.png": b"x"}), "no_table"),
    refused("empty.zip", zipped({}), "no_table"),
    refused("archive_of_archives.zip", zipped({"a.zip": zipped({"a.csv": _CSV})}), "unknown_format"),
    refused("locked.zip", _locked(zipped({"a.csv": _CSV})), "encrypted"),
    refused("cut.zip", _cut(zipped({"a.csv": _CSV * 50})), "damaged"),
    refused("cut.csv.gz", gzip.compress(_CSV * 500)[:-9], "damaged"),
    refused("text_called_gz.csv.gz", _CSV, "damaged"),
    refused("declared_bomb.zip", zipped({"a.csv": bytes(1_000_000)}), "zip_bomb", limits=_SMALL),
    refused("false_size.zip", _false_size(zipped({"a.csv": b"a,b\n" + b"1,2\n" * 250_000})), "damaged", limits=_SMALL),
    refused("bomb.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 250_000), "zip_bomb", limits=_SMALL),
    refused("too_much_text.csv.gz", gzip.compress(b"\n".join(b"%d,%x" % (i, i * 7919) for i in range(10_000))), "too_large",
            limits=_SMALL),
]  # fmt: skip

PLACES = [
    refused("folder.csv", Path.mkdir, "no_file"),
    refused("gone.csv", lambda path: None, "no_file"),
    refused("link_to_itself.csv", _named_pipe_loop, "no_file"),
]
