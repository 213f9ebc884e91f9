"""Every format gives the same frame of text, and damage gives one error that names the file."""

import codecs
import gzip
import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from schemas.errors import UsageError
from tasks.mining.reading.raw import Unreadable
from tasks.mining.reading.tables import read_table

CSV = "code,name,amount\n007,Ünal,1.50\nNA,,2\n".encode()
ROWS = [("007", "Ünal", "1.50"), ("NA", None, "2")]


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "member"),
    [
        ("a.csv", CSV, None),
        ("a.CSV", codecs.BOM_UTF8 + CSV, None),
        ("a.csv.gz", gzip.compress(CSV, mtime=0), None),
        ("a.zip", zipped(data__csv=CSV), None),
        ("a.csv.zip", zipped(data__csv=CSV, other__csv=b"x\n1\n"), "data.csv"),
        (
            "a.json",
            json.dumps([dict(zip(("code", "name", "amount"), row, strict=True)) for row in ROWS]).encode(),
            None,
        ),
    ],
)
def test_text_formats_give_text(tmp_path, name, content, member):
    frame = read_table(written(tmp_path / name, content), member).frame
    assert frame.columns == ["code", "name", "amount"]
    assert set(frame.dtypes) == {pl.String}
    assert frame.rows() == ROWS


def test_json_values_are_written_so_that_they_read_back(tmp_path):
    records = [{"a": 1, "b": 0.1, "c": True, "d": [[1, 2]]}, {"a": None, "b": 1e300, "e": "late"}]
    frame = read_table(written(tmp_path / "a.json", json.dumps(records).encode())).frame
    assert frame.rows() == [("1", "0.1", "true", "[[1,2]]", None), (None, "1e+300", None, None, "late")]


def test_a_json_map_keeps_its_keys(tmp_path):
    path = written(tmp_path / "a.json", json.dumps({"UA": {"name": "United"}, "DL": {"name": "Delta"}}).encode())
    assert read_table(path).frame.rows() == [("UA", "United"), ("DL", "Delta")]
    assert read_table(path).frame.columns == ["key", "name"]


def test_a_member_of_a_json_map_may_hold_the_records(tmp_path):
    path = written(tmp_path / "a.json", json.dumps({"rows": [{"a": 1}], "count": 1}).encode())
    assert read_table(path, "rows").frame.rows() == [("1",)]


def test_django_fixtures_are_flattened_and_chosen_by_model(tmp_path):
    records = [
        {"pk": 1, "model": "shop.artist", "fields": {"name": "AC/DC"}},
        {"pk": 9, "model": "shop.album", "fields": {"artist": 1, "title": "Powerage"}},
    ]
    path = written(tmp_path / "a.json", json.dumps(records).encode())
    frame = read_table(path, "shop.album", "model").frame
    assert frame.columns == ["pk", "artist", "title"]
    assert frame.rows() == [("9", "1", "Powerage")]


def test_sqlite_rows_come_in_rowid_order(tmp_path):
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "order ""x""" (id INTEGER PRIMARY KEY, price REAL, data BLOB)')
        connection.executemany('INSERT INTO "order ""x""" VALUES (?, ?, ?)', [(2, 0.1, b"\x01"), (1, None, None)])
        connection.commit()
    frame = read_table(path, 'order "x"').frame
    assert frame.rows() == [("1", None, None), ("2", "0.1", "01")]


def test_parquet_types_become_text(tmp_path):
    path = tmp_path / "a.parquet"
    moment = datetime(2020, 1, 2, 3, 4)
    pl.DataFrame({"n": [1, None], "x": [0.1, 2.0], "t": [moment, None], "b": [True, False]}).write_parquet(path)
    rows = read_table(path).frame.rows()
    assert rows[0] == ("1", "0.1", "2020-01-02 03:04:00.000000", "true")
    assert rows[1] == (None, "2.0", None, "false")


@pytest.mark.parametrize(
    ("name", "content", "member", "discriminator", "message"),
    [
        ("a.xyz", b"1", None, None, r"a\.xyz is in no known format. Known: csv"),
        ("a.zip", zipped(one__csv=CSV, two__csv=CSV), "three.csv", None, r"no member 'three\.csv'.*one\.csv, two\.csv"),
        ("a.json", b"[1, 2]", None, None, "neither a list nor a map of records"),
        ("a.json", b'{"rows": [{"a": 1}]}', "lines", None, r"no table 'lines'. Name one of: rows"),
        ("a.json", b'[{"m": "x"}]', "y", "m", r"no record whose m is 'y'. Name one of: x"),
        ("a.csv", CSV, "x", "m", "no json document"),
    ],
)
def test_a_refusal_says_what_there_is(tmp_path, name, content, member, discriminator, message):
    with pytest.raises(UsageError, match=message):
        read_table(written(tmp_path / name, content), member, discriminator)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = written(tmp_path / "a.csv", CSV)
    path.chmod(0)
    with pytest.raises(Unreadable) as caught:
        read_table(path)
    assert caught.value.reason == "no_permission"


def test_what_may_not_be_opened_is_refused(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path / "a.csv", CSV)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(Unreadable, match="chmod") as caught:
        read_table(path)
    assert caught.value.reason == "no_permission"


def test_a_missing_sqlite_table_lists_the_tables_and_creates_nothing(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE fish (id)")
    with pytest.raises(UsageError, match=r"no table 'birds'. Name one of: fish"):
        read_table(path, "birds")
    with pytest.raises(UsageError, match="cannot read"):
        read_table(tmp_path / "gone.db", "fish")
    assert not (tmp_path / "gone.db").exists()
