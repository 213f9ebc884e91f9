"""Small worlds made by hand of what data sets bring: surveys, bare tables, odd names, odd values, clashing names."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from schemas.profiles import ColumnProfile, ForeignKey, SamplingNote, TableProfile, WorldProfile
from tasks.mining.tables import MinedTables

MOST_CATEGORIES = 30


@dataclass(frozen=True)
class Odd:
    """One table: its frame (key first), what is no plain column, and its references (column → table)."""

    frame: pl.DataFrame
    singular: str
    plural: str
    label: str | None = None
    booleans: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    opaque: bool = True


def mined(tables: dict[str, Odd]) -> MinedTables:
    """Return the tables as mining would: profiled, in the given order (referred ones first)."""
    referred = {parent for table in tables.values() for parent in table.references.values()}
    profiles = [_table(name, table, name in referred, tables) for name, table in tables.items()]
    notes = [SamplingNote(table=p.name, rows_read=p.rows, rows_kept=p.rows) for p in profiles]
    frames = {name: table.frame.sort(table.frame.columns[0]) for name, table in tables.items()}
    return MinedTables(frames, WorldProfile(tables=profiles, sampling=notes))


def _table(name: str, table: Odd, is_referred_to: bool, tables: dict[str, Odd]) -> TableProfile:
    keys = [
        ForeignKey(column=column, to_table=parent, to_column=tables[parent].frame.columns[0], coverage=1.0)
        for column, parent in table.references.items()
    ]
    return TableProfile(
        name=name,
        singular=table.singular,
        plural=table.plural,
        kind="event" if keys and not is_referred_to else "reference",
        rows=table.frame.height,
        columns=[_column(table, series) for series in table.frame],
        key=table.frame.columns[0],
        key_is_opaque=table.opaque,
        label=table.label,
        foreign_keys=keys,
    )


def _column(table: Odd, values: pl.Series) -> ColumnProfile:
    present, name = values.drop_nulls(), values.name
    if name in table.booleans:
        kind, role = "boolean", "category"
    elif name in table.dates:
        kind, role = "date", "time"
    elif values.dtype == pl.String:
        few = 0 < present.n_unique() <= MOST_CATEGORIES and len(present) >= 2 * present.n_unique()
        kind, role = "text", "category" if few else "text"
    else:
        kind, role = ("integer" if values.dtype == pl.Int64 else "number"), "measure"
    named = {table.frame.columns[0]: "key", table.label: "label"} | dict.fromkeys(table.references, "reference")
    role = named.get(name, role)
    ranged = kind != "text" and len(present) > 0
    return ColumnProfile(
        name=name,
        type=kind,
        role=role,
        nullable=values.null_count() > 0,
        distinct=present.n_unique(),
        minimum=present.min() if ranged else None,
        maximum=present.max() if ranged else None,
        categories=sorted(present.unique().to_list()) if role == "category" and kind == "text" else [],
        words=table.words.get(name, name.replace("_", " ")),
    )


def _ids(rows: int) -> list[int]:
    return list(range(1, rows + 1))


def _survey() -> dict[str, Odd]:
    rows = 90
    frame = pl.DataFrame(
        {
            "respondent_id": _ids(rows),
            "rude_to_recline": [("Yes, very", "Yes, somewhat", "No, not at all", None)[i % 4] for i in range(rows)],
            "age_group": [("18-29", "30-44", "45-60", "> 60")[i * 7 % 4] for i in range(rows)],
            "has_children": [None if i % 11 == 0 else i % 2 for i in range(rows)],
            "comment": [None if i % 3 else f"It is “fine”, {i}% of the time\nor so" for i in range(rows)],
        }
    )
    words = {"rude_to_recline": "answer to 'is it rude to recline your seat on a plane'"}
    return {"responses": Odd(frame, "response", "responses", booleans=("has_children",), words=words)}


def _bare() -> dict[str, Odd]:
    """Neither label nor measure nor category: nothing but texts that are all different."""
    frame = pl.DataFrame({"note_id": _ids(40), "note": [f"Note {i} on {i * i % 97}" for i in range(40)]})
    return {"notes": Odd(frame, "note", "notes")}


def _two_rows() -> dict[str, Odd]:
    frame = pl.DataFrame({"country": ["Chile", "Peru"], "area": [756102.0, 1285216.0], "coast": [6435, 2414]})
    return {"countries": Odd(frame, "country", "countries", opaque=False)}


def _reserved() -> dict[str, Odd]:
    """Names that Python, SQL, paging and other arguments would like for themselves."""
    rows = 60
    frame = pl.DataFrame(
        {
            "order": _ids(rows),
            "limit": [("low", "mid", "high", "top")[i % 4] for i in range(rows)],
            "max_value": [("a", "b", "c", "d", "e")[i % 5] for i in range(rows)],
            "value": [i * 37 % 101 for i in range(rows)],
            "from": [f"from {i}" for i in range(rows)],
            "status": [("on", "off")[i % 2] for i in range(rows)],
        }
    )
    return {"group": Odd(frame, "select", "selects")}


def _unicode() -> dict[str, Odd]:
    names = ["Žižkov", "İstanbul", "Straße", "日本橋", "O\"Neil's", "100%_x", "100 x", "ΑΘΗΝΑΣ", "emoji 🎉", "a\\b"]
    rows = 50
    frame = pl.DataFrame(
        {
            "place_id": _ids(rows),
            "name": [f"{names[i % 10]} {i // 10}" if i >= 10 else names[i] for i in range(rows)],
            "visitors": [i * 7919 % 1009 for i in range(rows)],
            "kind": [("café", "bar's", 'the "old" one', "50% off")[i % 4] for i in range(rows)],
        }
    )
    return {"places": Odd(frame, "place", "places", label="name")}


def _numbers() -> dict[str, Odd]:
    rows = 60
    frame = pl.DataFrame(
        {
            "reading_id": _ids(rows),
            "serial": [2**60 + i * 12345 for i in range(rows)],
            "share": [None if i % 13 == 0 else (i * 31 % 89) / 1000 - 0.04 for i in range(rows)],
            "zero": [-0.0 if i % 2 else 0.0 for i in range(rows)],
            "tiny": [i * 1e-9 for i in range(rows)],
            "vast": [i * 1e15 + 0.5 for i in range(rows)],
            "nothing": pl.Series([None] * rows, dtype=pl.String),
        }
    )
    return {"readings": Odd(frame, "reading", "readings")}


def _clashing() -> dict[str, Odd]:
    """A data set about reviews, called as the operational tables would be."""
    people = pl.DataFrame({"reviewer_id": _ids(12), "name": [f"Reviewer {chr(65 + i)}" for i in range(12)]})
    requests = pl.DataFrame(
        {
            "request_id": _ids(80),
            "reviewer_id": [1 + i % 12 for i in range(80)],
            "status": [("new", "old")[i % 2] for i in range(80)],
            "priority": [i * 17 % 83 for i in range(80)],
        }
    )
    return {
        "reviewers": Odd(people, "reviewer", "reviewers", label="name"),
        "review_requests": Odd(requests, "review request", "review requests", references={"reviewer_id": "reviewers"}),
    }


def _empty() -> dict[str, Odd]:
    """A table without rows, referred to and referring."""
    kinds = pl.DataFrame({"kind_id": [], "title": []}, schema={"kind_id": pl.Int64, "title": pl.String})
    items = pl.DataFrame(
        {
            "item_id": _ids(30),
            "kind_id": pl.Series([None] * 30, dtype=pl.Int64),
            "weight": [i * 5 % 31 for i in range(30)],
        }
    )
    parts = pl.DataFrame({"part_id": [], "item_id": []}, schema={"part_id": pl.Int64, "item_id": pl.Int64})
    return {
        "kinds": Odd(kinds, "kind", "kinds", label="title"),
        "items": Odd(items, "item", "items", references={"kind_id": "kinds"}),
        "parts": Odd(parts, "part", "parts", references={"item_id": "items"}),
    }


def _daily() -> dict[str, Odd]:
    """Known by its day."""
    days = [f"2015-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(56)]
    calls = [i * 97 % 311 for i in range(56)]
    frame = pl.DataFrame({"day": days, "calls": calls, "holiday": [1 if i % 9 == 0 else 0 for i in range(56)]})
    return {"call_days": Odd(frame, "call day", "call days", dates=("day",), booleans=("holiday",), opaque=False)}


ODD_WORLDS = {
    "survey": _survey,
    "bare": _bare,
    "two_rows": _two_rows,
    "reserved": _reserved,
    "unicode": _unicode,
    "numbers": _numbers,
    "clashing": _clashing,
    "empty": _empty,
    "daily": _daily,
}
