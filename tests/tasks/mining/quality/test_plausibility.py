from typing import Any

import polars as pl
import pytest

from schemas.profiles import ColumnProfile
from tasks.mining.quality.plausibility import implausible


def column(name: str, type: str, role: str = "measure", unit: str | None = None) -> ColumnProfile:
    return ColumnProfile.model_validate(
        {"name": name, "type": type, "role": role, "nullable": False, "distinct": 9, "words": name, "unit": unit}
    )


@pytest.mark.parametrize(
    ("about", "values", "odd"),
    [
        (column("humidity", "number", unit="percent"), [0.0, 100.0, 100.5, -1.0], [100.5, -1.0]),
        (column("price_change", "number", unit="percent"), [-12.0, 250.0], None),
        (column("latitude", "number"), [-90.0, 90.0, 90.5], [90.5]),
        (column("pickup_longitude", "number"), [-180.0, 179.0, -181.0], [-181.0]),
        (column("lat", "integer"), [500], None),  # a short for something else
        (column("unit_price", "money"), [0.0, -0.5], [-0.5]),
        (column("population_growth", "number"), [-3.0], None),
        (column("balance", "money"), [-3.0], None),
        (column("age", "integer", role="text"), [-3], None),
        (column("born_on", "date", role="time"), ["0999-12-31", "1000-01-01", "2099-12-31", "2100-01-01"], ["0999-12-31", "2100-01-01"]),
        (column("seen_at", "datetime", role="time"), ["2099-12-31T23:59:59", "2100-01-01T00:00:00"], ["2100-01-01T00:00:00"]),
        (column("remark", "text", role="text"), ["-1"], None),
    ],
)  # fmt: skip
def test_what_nothing_called_so_has(about: ColumnProfile, values: list[Any], odd: list[Any] | None) -> None:
    found = implausible(about, pl.Series(values))
    assert (found.to_list() if found is not None and len(found) else None) == odd
