"""Units: taken from headers and cells where they are nothing else."""

import pytest

from tasks.mining.columns.units import UNITS, split_unit, unit_named


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Height (cm)", ("Height", "centimetres")),
        ("Weight [kg]", ("Weight", "kilograms")),
        ("Price in USD", ("Price", "dollars")),
        ("Revenue ($ millions)", ("Revenue", "million dollars")),
        ("Revenue ($M)", ("Revenue", "million dollars")),
        ("weight_kg", ("weight", "kilograms")),
        ("Share, %", ("Share", "percent")),
        ("budget_2013$", ("budget_2013", "dollars")),
        ("speed (km/h)", ("speed", "kilometres per hour")),
        ("Location (Census Region)", ("Location (Census Region)", None)),
        ("year_in", ("year_in", None)),
        ("duration_min", ("duration_min", None)),
        ("flight_hours", ("flight_hours", None)),
        ("kg", ("kg", None)),
    ],
)
def test_headers(header, expected):
    assert split_unit(header) == expected


def test_every_way_of_writing_a_unit_is_known_in_any_case():
    assert all(unit_named(text.upper() if text.isascii() else text) == unit for text, unit in UNITS.items())
    assert unit_named("parsnips") is None
