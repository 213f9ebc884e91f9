"""The index is incremental, survives damage, serves two at once, and takes every text as a query."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from tasks.mining.library.digests import digest_file
from tasks.mining.library.index import IndexedFile, match_expression, open_index

TREE = {
    "towns/towns.csv": "town,people\nNew York,8\nLos Angeles,4\n",
    "birds/sightings.csv": "bird,place\nwren,Kew\nrobin,York\n",
    "birds/InvoiceLine.csv": "No,Amount\n1,2\n",
}


@pytest.fixture
def library(plant):
    root = plant(TREE)
    return root, [IndexedFile(path, f"{path}-1", "About feathers" if "birds" in path else "") for path in TREE]


def build(path, root, files):
    """Open the index and return what was read for it and the found paths of a query."""
    read = []

    def digest(file):
        read.append(file)
        return digest_file(root / file)

    with open_index(path, files, digest) as index:
        return sorted(read), [hit.path for hit in index.search("york", 10)]


def test_only_what_changed_is_read_again(library, tmp_path):
    root, files = library
    path = tmp_path / "deep" / "index.sqlite"
    assert build(path, root, files)[0] == sorted(TREE)
    assert build(path, root, files)[0] == []
    changed = IndexedFile("birds/sightings.csv", "birds/sightings.csv-2", "About feathers")
    (root / "birds/sightings.csv").write_text("bird,place\nowl,Leeds\n")
    assert build(path, root, [files[0], changed]) == (["birds/sightings.csv"], ["towns/towns.csv"])


def test_a_moved_file_is_not_read_again(library, tmp_path):
    root, files = library
    build(tmp_path / "index.sqlite", root, files)
    moved = IndexedFile("new/place/towns.csv", "towns/towns.csv-1", "")
    assert build(tmp_path / "index.sqlite", root, [moved]) == ([], ["new/place/towns.csv"])


def test_names_headers_values_and_readmes_are_found(library, tmp_path):
    root, files = library
    with open_index(tmp_path / "index.sqlite", files, lambda file: digest_file(root / file)) as index:
        assert index.search("towns", 1)[0].path == "towns/towns.csv"
        assert [hit.path for hit in index.search('"new york"', 9)] == ["towns/towns.csv"]
        assert index.search("invoice lines", 1)[0].path == "birds/InvoiceLine.csv"
        assert {hit.path for hit in index.search("feather", 9)} == {"birds/InvoiceLine.csv", "birds/sightings.csv"}
        assert len(index.search("feather york", 1)) == 1
        hits = index.search("bird wren kew york", 9)
        assert hits[0].path == "birds/sightings.csv" and hits == sorted(hits, key=lambda hit: -hit.score)


@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000, b""])
def test_a_damaged_index_is_built_anew(library, tmp_path, damage):
    root, files = library
    path = tmp_path / "index.sqlite"
    first = build(path, root, files)
    path.write_bytes(damage)
    assert build(path, root, files) == first


def test_a_page_gone_bad_is_noticed(library, tmp_path):
    root, files = library
    path = tmp_path / "index.sqlite"
    first = build(path, root, files)
    content = bytearray(path.read_bytes())
    content[4096 : len(content)] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    assert build(path, root, files) == first


def test_an_index_of_an_earlier_version_is_built_anew(library, tmp_path):
    root, files = library
    path = tmp_path / "index.sqlite"
    first = build(path, root, files)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert build(path, root, files) == first


def test_a_database_of_somebody_else_is_not_touched(library, tmp_path):
    root, files = library
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (id)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(UsageError, match="no library index"):
        build(path, root, files)
    assert path.read_bytes() == before


def test_a_place_that_takes_no_file_is_a_usage_error(library, tmp_path):
    root, files = library
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        build(tmp_path / "folder", root, files)


def test_a_failure_while_searching_leaves_the_index_as_it_was(library, tmp_path):
    root, files = library
    path = tmp_path / "index.sqlite"
    build(path, root, files[:1])
    with pytest.raises(RuntimeError), open_index(path, files, lambda file: digest_file(root / file)):
        raise RuntimeError
    assert build(path, root, files)[0] == sorted(TREE)[:2]


def test_two_at_once_wait_for_each_other(library, tmp_path):
    """Connections of one process lock each other out as those of two do."""
    root, files = library
    found = {1: ["birds/sightings.csv"], 3: ["birds/sightings.csv", "towns/towns.csv"]}

    def build_many(some):
        return all(build(tmp_path / "index.sqlite", root, some)[1] == found[len(some)] for _ in range(10))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(build_many, [files, [files[1]]], timeout=60)) == [True, True]


def test_words_are_literal():
    assert match_expression('a "b c" OR* x-y NEAR(') == '"a" OR "b c" OR "OR" OR "x y" OR "NEAR"'
    assert match_expression('"" - * ( ) ^ :') == ""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    root = tmp_path_factory.mktemp("library")
    (root / "rows.csv").write_text("a,b\nx,y\n")
    index = tmp_path_factory.mktemp("index") / "index.sqlite"
    with open_index(index, [IndexedFile("rows.csv", "1", "")], lambda file: digest_file(root / file)) as found:
        yield found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(),
        st.text(alphabet="\"'*():^-+{}ANDORNEAT \0\\;%_"),
        st.text(st.characters(categories=["Cs", "Mn", "No"])),
    )
)
def test_every_text_is_a_query(opened, text):
    assert all(hit.path == "rows.csv" for hit in opened.search(text, 5))
