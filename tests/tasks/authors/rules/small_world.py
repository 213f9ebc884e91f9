"""A small hand-made world of flights, whose every value the tests know."""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile


def _column(frame: pl.DataFrame, name: str, kind: str, role: str, words: str, unit: str | None = None) -> ColumnProfile:
    series = frame[name]
    ranged = role in ("measure", "time")
    return ColumnProfile(
        name=name,
        type=kind,
        role=role,
        nullable=series.null_count() > 0,
        distinct=series.drop_nulls().n_unique(),
        minimum=series.min() if ranged else None,
        maximum=series.max() if ranged else None,
        categories=sorted(series.drop_nulls().unique().to_list()) if role == "category" else [],
        words=words,
        unit=unit,
    )


def small_frames() -> dict[str, pl.DataFrame]:
    """Return airlines, planes and flights; two airlines share a letter case trap, two flights lack a delay."""
    airlines = pl.DataFrame(
        {"carrier": ["AA", "DL", "UA"], "name": ["American Airlines", "Delta Air Lines", "United Éclair"]}
    )
    planes = pl.DataFrame({"tailnum": ["N1", "N2"], "engine": ["Turbo-fan", "Turbo-jet"], "seats": [4, 150]})
    flights = pl.DataFrame(
        {
            "flight_id": list(range(1, 41)),
            "date": [f"2013-01-{1 + i // 4:02d}" for i in range(40)],
            "carrier": [("AA", "DL", "UA")[i % 3] for i in range(40)],
            "tailnum": [("N1", "N2", None)[i % 3] for i in range(40)],
            "order": [("early", "late")[i % 2] for i in range(40)],
            "dep_delay": [None if i in (7, 8) else float(i % 9) - 2.5 for i in range(40)],
            "distance": [100 * (i % 5) for i in range(40)],
        }
    )
    return {"airlines": airlines, "planes": planes, "flights": flights}


def small_profile() -> WorldProfile:
    """Return the profile of those tables."""
    frames = small_frames()
    a, p, f = frames["airlines"], frames["planes"], frames["flights"]
    return WorldProfile(
        tables=[
            TableProfile(
                name="airlines",
                singular="airline",
                plural="airlines",
                kind="reference",
                rows=3,
                key="carrier",
                key_is_opaque=False,
                label="name",
                columns=[
                    _column(a, "carrier", "text", "key", "carrier code"),
                    _column(a, "name", "text", "label", "airline name"),
                ],
            ),
            TableProfile(
                name="planes",
                singular="plane",
                plural="planes",
                kind="reference",
                rows=2,
                key="tailnum",
                key_is_opaque=False,
                columns=[
                    _column(p, "tailnum", "text", "key", "tail number"),
                    _column(p, "engine", "text", "category", "engine type"),
                    _column(p, "seats", "integer", "measure", "number of seats", "seats"),
                ],
            ),
            TableProfile(
                name="flights",
                singular="flight",
                plural="flights",
                kind="event",
                rows=40,
                key="flight_id",
                key_is_opaque=True,
                columns=[
                    _column(f, "flight_id", "integer", "key", "flight number"),
                    _column(f, "date", "date", "time", "date"),
                    _column(f, "carrier", "text", "reference", "airline"),
                    _column(f, "tailnum", "text", "reference", "plane"),
                    _column(f, "order", "text", "category", "order"),
                    _column(f, "dep_delay", "number", "measure", "departure delay", "minutes"),
                    _column(f, "distance", "integer", "measure", "distance", "miles"),
                ],
                foreign_keys=[
                    ForeignKey(column="carrier", to_table="airlines", to_column="carrier", coverage=1.0),
                    ForeignKey(column="tailnum", to_table="planes", to_column="tailnum", coverage=1.0),
                ],
            ),
        ]
    )
