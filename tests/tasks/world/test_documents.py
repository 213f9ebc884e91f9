from __future__ import annotations

import csv
import hashlib
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.world.documents import compare_file

NOTHING: dict[str, list[Any]] = {"inserted": [], "updated": [], "deleted": []}
WORDS = st.sampled_from(["", "a", "b", "id", "x_id", "Zoë", "two words", "$", "1", "true", "null", "a: b", "- c", "#d"])
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, -1.0, 2.0, 1e300]) | WORDS
RECORDS = st.lists(st.fixed_dictionaries({"id": st.integers(1, 6)}, optional={"a": LEAVES, "b": LEAVES}), max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4) | RECORDS,
    max_leaves=12,
)
quick = settings(max_examples=150, deadline=None)


@st.composite
def edits(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """A value and what became of it: often almost the same."""
    old = draw(values)
    return old, draw(values) if draw(st.booleans()) else edited(draw, old)


def edited(draw: st.DrawFn, value: Any) -> Any:
    """Change one place of `value`, deep inside if it can be."""
    if isinstance(value, dict) and value:
        name = draw(st.sampled_from(sorted(value)))
        rest = {key: part for key, part in value.items() if key != name}
        return rest if draw(st.booleans()) else {**rest, name: edited(draw, value[name])}
    if isinstance(value, list) and value:
        index = draw(st.integers(0, len(value) - 1))
        part = [] if draw(st.booleans()) else [edited(draw, value[index])]
        return value[:index] + part + value[index + 1 :]
    return draw(LEAVES)


def as_json(value: Any, loose: bool = False) -> bytes:
    if not loose:
        return json.dumps(value, ensure_ascii=False).encode()
    text = json.dumps(reordered(value), ensure_ascii=True, indent=3, separators=(" , ", " : "))
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reordered(part) for name, part in reversed(value.items())}
    if isinstance(value, list):
        return [reordered(part) for part in value]
    return float(value) if type(value) is int else value


# --- the naive comparison: every place of both values, spelled out -------------------------


def key_of(old: list[Any], new: list[Any]) -> str | None:
    """The rule of `documents.py`, in other words."""
    records = [*old, *new]
    if not records or any(type(record) is not dict for record in records):
        return None
    best = []
    for position, name in enumerate((old or new)[0] if old else sorted(new[0])):
        sides = [[record.get(name) for record in side] for side in (old, new)]
        sound = all(type(value) in (int, str) for side in sides for value in side)
        if sound and all(len({(type(v), v) for v in side}) == len(side) for side in sides):
            best.append((0 if name == "id" else 1 if name.endswith("_id") else 2, position, name))
    return min(best)[2] if best else None


def normal(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: normal(part) for name, part in value.items()}
    return [normal(part) for part in value] if isinstance(value, list) else value


def same(old: Any, new: Any) -> bool:
    return json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)


def places(old: Any, new: Any, at: tuple[Any, ...] = ()) -> list[tuple[str, tuple[Any, ...], Any, Any]]:
    """Every place at which two normal values differ: (kind, place, old, new)."""
    if type(old) is type(new) and isinstance(old, dict | list):
        if isinstance(old, list):
            key = key_of(old, new)
            old = {i if key is None else (key, r[key]): r for i, r in enumerate(old)}
            new = {i if key is None else (key, r[key]): r for i, r in enumerate(new)}
        found = [("deleted", (*at, part), old[part], None) for part in old if part not in new]
        found += [("inserted", (*at, part), None, new[part]) for part in new if part not in old]
        return found + [place for part in old if part in new for place in places(old[part], new[part], (*at, part))]
    return [] if same(old, new) else [("updated", at, old, new)]


def spelled(at: tuple[Any, ...]) -> str:
    text = "$"
    for part in at:
        if isinstance(part, tuple):
            text += f"[{json.dumps(part[0], ensure_ascii=False)}={json.dumps(part[1], ensure_ascii=False)}]"
        elif isinstance(part, str):
            plain = part.isascii() and part.isidentifier()
            text += f".{part}" if plain else f"[{json.dumps(part, ensure_ascii=False)}]"
        else:
            text += f"[{part}]"
    return text


def naive(old: Any, new: Any) -> dict[str, list[str]]:
    """Expected changes as sorted texts: by row where the whole value is a list with a key, else by place."""
    old, new = normal(old), normal(new)
    found: dict[str, list[Any]] = {"inserted": [], "updated": [], "deleted": []}
    key = key_of(old, new) if isinstance(old, list) and isinstance(new, list) else None
    if key is None:
        for kind, at, was, now in places(old, new):
            value = was if kind == "deleted" else now
            if kind == "updated":
                found[kind].append({"key": spelled(at), "old": {"value": was}, "new": {"value": now}})
            else:
                found[kind].append({"path": spelled(at), "value": value})
        return texts(found)
    for value in {record[key] for record in (*old, *new)}:
        was = next((record for record in old if record[key] == value), None)
        now = next((record for record in new if record[key] == value), None)
        if was and now and set(was) == set(now):
            changed = {name for name in was if not same(was[name], now[name])}
            sides = [{name: side[name] for name in changed} for side in (was, now)]
            found["updated"] += [{"key": value, "old": sides[0], "new": sides[1]}] if changed else []
        else:
            found["deleted"] += [was] if was else []
            found["inserted"] += [now] if now else []
    return texts(found)


def texts(change: dict[str, list[Any]]) -> dict[str, list[str]]:
    return {kind: sorted(json.dumps(row, sort_keys=True) for row in rows) for kind, rows in change.items()}


@quick
@given(edits(VALUES | RECORDS))
def test_json_equals_a_full_comparison(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert texts(compare_file("a.json", as_json(old), as_json(new))) == naive(old, new)


@quick
@given(VALUES)
def test_json_in_another_formatting_is_no_difference(value: Any) -> None:
    assert compare_file("a.json", as_json(value), as_json(value, loose=True)) == NOTHING


@quick
@given(edits(VALUES | RECORDS))
def test_a_difference_does_not_depend_on_the_formatting_of_the_final_state(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert compare_file("a.json", as_json(old), as_json(new)) == compare_file(
        "a.json", as_json(old), as_json(new, True)
    )


# --- csv ----------------------------------------------------------------------------------

CELLS = st.sampled_from(["", "a", "b", "1", "2", "3", 'say "x"', "two\nlines", "a,b", " c "])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    columns = draw(st.sampled_from([["id", "a"], ["a", "flight_id", "b"], ["a", "b"]]))
    return columns, draw(st.lists(st.lists(CELLS, min_size=len(columns), max_size=len(columns)), max_size=5))


def as_csv(columns: list[str], rows: list[list[str]], loose: bool = False, delimiter: str = ",") -> bytes:
    order = list(range(len(columns)))[:: -1 if loose else 1]
    text = io.StringIO()
    quoting, ends = (csv.QUOTE_ALL, "\r\n") if loose else (csv.QUOTE_MINIMAL, "\n")
    writer = csv.writer(text, quoting=quoting, lineterminator=ends, delimiter=delimiter)
    for row in [columns, *(rows[::-1] if loose else rows)]:
        writer.writerow([row[place] for place in order])
    return text.getvalue().encode()


def naive_rows(old: tuple[list[str], list[list[str]]], new: tuple[list[str], list[list[str]]]) -> dict[str, list[str]]:
    records = [[dict(zip(columns, row, strict=True)) for row in rows] for columns, rows in (old, new)]
    header = sorted(old[0]) != sorted(new[0])
    if not header and key_of(*records) is not None:
        return naive(*records)
    gone, come = texts({"x": records[0]})["x"], texts({"x": records[1]})["x"]
    for row in list(gone):
        if row in come and not header:
            gone.remove(row)
            come.remove(row)
    sides = {"old": {"columns": sorted(old[0])}, "new": {"columns": sorted(new[0])}}
    updated = [json.dumps({"key": "columns", **sides}, sort_keys=True)] if header else []
    return {"inserted": come, "updated": updated, "deleted": gone}


@quick
@given(tables(), tables())
def test_csv_equals_a_full_comparison(old: Any, new: Any) -> None:
    assert texts(compare_file("a.csv", as_csv(*old), as_csv(*new))) == naive_rows(old, new)


@quick
@given(tables())
def test_csv_in_another_formatting_is_no_difference(table: Any) -> None:
    assert compare_file("a.csv", as_csv(*table), as_csv(*table, loose=True)) == NOTHING
    tabbed = [as_csv(*table, loose=loose, delimiter="\t") for loose in (False, True)]
    assert compare_file("a.tsv", *tabbed) == NOTHING


def test_rows_of_a_csv_are_told_by_key() -> None:
    change = compare_file("staff.csv", b"name,id\nBob,1\nEve,2\n", b"id,name\n3,Ann\n1,Rob\n")
    assert change == {
        "inserted": [{"id": "3", "name": "Ann"}],
        "updated": [{"key": "1", "old": {"name": "Bob"}, "new": {"name": "Rob"}}],
        "deleted": [{"id": "2", "name": "Eve"}],
    }


# --- yaml ---------------------------------------------------------------------------------


def as_yaml(value: Any, loose: bool = False) -> bytes:
    return ("---\n# staff\n" * loose + "\n".join(yaml_lines(value, loose)) + "\n\n" * loose).encode()


def yaml_lines(value: Any, loose: bool) -> list[str]:
    if not isinstance(value, dict | list) or not value:
        return [yaml_scalar(value, loose)]
    entries = value if isinstance(value, list) else list(value.items())[:: -1 if loose else 1]
    step, lines = " " * (4 if loose else 2), []
    for entry in entries:
        name, part = (
            ("-", entry) if isinstance(value, list) else (yaml_scalar(entry[0], loose, key=True) + ":", entry[1])
        )
        inner = yaml_lines(part, loose)
        if not isinstance(part, dict | list) or not part:
            lines.append(f"{name} {inner[0]}" + "   # why" * loose)
        elif name == "-" and not loose:
            lines += [f"- {inner[0]}", *(f"  {line}" for line in inner[1:])]
        else:
            lines += [name, *(step + line for line in inner)]
    return lines


def yaml_scalar(value: Any, loose: bool, key: bool = False) -> str:
    if isinstance(value, str):
        if value in ("a", "b", "id", "x_id", "Zoë", "two words") and not loose:
            return value
        return "'" + value.replace("'", "''") + "'" if loose else json.dumps(value, ensure_ascii=False)
    if value is None:
        return "~" if loose else "null"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) < 100 else f"{value:.1e}"
    return json.dumps(value).upper() if loose else json.dumps(value)


YAML_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, -1.0, 2.0, 1e300]) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "id", "x_id", "Zoë", "two words", "1", "a b:"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@quick
@given(edits(YAML_VALUES))
def test_yaml_equals_a_full_comparison(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert texts(compare_file("a.yaml", as_yaml(old), as_yaml(new))) == naive(old, new)


@quick
@given(YAML_VALUES)
def test_yaml_in_another_formatting_is_no_difference(value: Any) -> None:
    assert compare_file("a.yml", as_yaml(value), as_yaml(value, loose=True)) == NOTHING


# --- bytes --------------------------------------------------------------------------------


@quick
@given(st.binary(max_size=6), st.binary(max_size=6), st.sampled_from(["a.txt", "a.html", "a", "a.md"]))
def test_other_files_differ_by_their_bytes(old: bytes, new: bytes, name: str) -> None:
    digests = [{"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for data in (old, new)]
    expected = [] if old == new else [{"key": "content", "old": digests[0], "new": digests[1]}]
    assert compare_file(name, old, new) == {**NOTHING, "updated": expected}


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("a.json", b'{"a": 1, "a": 1}'), ("a.json", b"{"), ("a.json", b"[NaN]"), ("a.json", b"[1e999]"),
        ("a.json", b'["\\ud800"]'), ("a.json", b"\xff"), ("a.json", b"[" * 100_000), ("a.json", b"9" * 5000),
        ("a.csv", b"a,b\n1\n"), ("a.csv", b"a,a\n1,2\n"), ("a.csv", b'a,b\n"1,2\n'), ("a.csv", b"\xff"),
        ("a.yaml", b"a: {b: 1}"), ("a.yaml", b"a: &x 1"), ("a.yaml", b"a: |\n  b"), ("a.yaml", b"a: 1\n---\nb: 1"),
        ("a.yaml", b"a: b\n  c"), ("a.yaml", b"a: 1\na: 1"), ("a.yaml", b"a:\t1"), ("a.yaml", b"yes: 1"),
    ],
)  # fmt: skip
def test_what_is_not_well_formed_counts_as_bytes(name: str, broken: bytes) -> None:
    """Spaces at the end change nothing in the formats, but the bytes."""
    for old, new in ((broken, broken + b" "), (b"1", broken), (broken, b"1")):
        (update,) = compare_file(name, old, new)["updated"]
        assert (update["key"], update["new"]["bytes"]) == ("content", len(new))
