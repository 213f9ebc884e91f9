"""Numerals: columns of numbers as people write them, with signs, groups, percents, currencies and units.

A style is taken only when every value of a column has it. What a column must prove:

- `1.234,56`: a comma is a decimal sign when some value has it before one, two or more than three digits, or
  behind groups of a dot; `1,234` throughout is English, a thousand and more.
- `1 234`, `1'234`: groups when the values are not all of one length, as telephone numbers are.
- a currency: one only; cells without it are amounts of it too. `K`, `M` and `bn` multiply.
- a unit (`12 km`): the same one in every cell. One of a single letter stands behind a space.
- leading zeros (`007`) make codes, not numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from schemas.profiles import ColumnType
from tasks.mining.columns.units import unit_named

PROBE = 200
_INTEGER = r"^[+-]?(0|[1-9]\d{0,17})$"  # no leading zeros: 00501 is a postal code
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_LEADING_ZERO = r"^[+-]?0\d"
_GAP = " \u00a0\u202f\u2009'’"
_ENGLISH = r"^[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?$"
_SPACED = rf"^[+-]?(\d{{1,3}}([{_GAP}]\d{{3}})+|\d+)([.,]\d+)?$"
_CONTINENTAL = r"^[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$"
_COMMA_PROVEN = r",(\d{1,2}|\d{4,})$|\.\d{3}[.,]"

_CURRENCIES = {
    "dollars": ("$", "US$", "USD"), "euros": ("€", "EUR"), "pounds sterling": ("£", "GBP"), "yen": ("¥", "JPY"),
}  # fmt: skip
_CURRENCY_OF = {sign: unit for unit, signs in _CURRENCIES.items() for sign in signs}
_SIGN = "|".join(re.escape(sign) for sign in sorted(_CURRENCY_OF, key=len, reverse=True))
_FACTORS = {"k": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_MONEY = (
    rf"^(?P<open>[+-]?\(?)(?P<before>{_SIGN})? ?(?P<sign>[+-]?)(?P<numeral>[\d][\d.,{_GAP}]*|\.\d+)"
    rf" ?(?P<factor>[KkMmBb]|[Mm]n|[Bb]n|[Mm]illion|[Bb]illion)? ?(?P<after>{_SIGN})?\)?$"
)
_WITH_UNIT = r"^(?P<numeral>[+-]?[\d.,]*\d)(?P<gap> ?)(?P<unit>[A-Za-z°%²/][A-Za-z°²/0-9 ]*)$"


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: its type, its values (Int64 or Float64) and the unit its cells gave."""

    type: ColumnType
    values: pl.Series
    unit: str | None = None


def matches(present: pl.Series, pattern: str) -> bool:
    """Return whether every value matches; a probe spares the scan of a large column that has another type."""
    return bool(present.head(PROBE).str.contains(pattern).all()) and bool(present.str.contains(pattern).all())


def read_integers(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read plain integers of at most 18 digits."""
    if not matches(present, _INTEGER):
        return None
    return Numbers("integer", text.str.strip_prefix("+").cast(pl.Int64))


def read_numbers(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read plain numbers: digits, a decimal point, an exponent."""
    if not matches(present, _NUMBER) or present.str.contains(_LEADING_ZERO).any():
        return None
    numbers = text.str.strip_prefix("+").cast(pl.Float64)
    return Numbers("number", numbers) if numbers.is_finite().drop_nulls().all() else None


def read_grouped(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read numbers with groups of thousands or a decimal comma."""
    if not present.head(PROBE).str.contains(rf"^[+-]?\d[\d.,{_GAP}]*$").all():
        return None
    if present.str.contains(_LEADING_ZERO).any() and not present.str.contains(r"^[+-]?0[.,]\d").any():
        return None
    plain = _plain(text, present)
    if plain is None or plain.drop_nulls().str.contains(_LEADING_ZERO).any():
        return None
    whole = matches(plain.drop_nulls(), _INTEGER)
    return Numbers("integer", plain.cast(pl.Int64)) if whole else Numbers("number", plain.cast(pl.Float64))


def read_percents(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read numbers that all have a percent sign: 45%, 45 %."""
    if not matches(present, r"^[+-]?[\d.,]+ ?%$"):
        return None
    plain = _plain(text.str.replace(r" ?%$", ""), present.str.replace(r" ?%$", ""))
    return None if plain is None else Numbers("number", plain.cast(pl.Float64), "percent")


def read_money(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read amounts of one currency, negative in parentheses or behind a minus; without any, of none."""
    if not matches(present, _MONEY):
        return None
    parts = text.str.extract_groups(_MONEY).struct.unnest()
    signs = {sign for name in ("before", "after") for sign in parts[name].drop_nulls().unique()}
    currencies = sorted({_CURRENCY_OF[sign] for sign in signs} - {""})
    if len(currencies) > 1 or not (currencies or present.str.contains(r"^\(").any()):
        return None  # two currencies do not add up
    if not currencies and (parts["factor"].drop_nulls().len() or present.str.contains(r"^[+-]?\(?0\d").any()):
        return None  # 5M may be five metres; 007 is a code
    numerals = parts["numeral"].str.strip_chars()
    plain = _plain(numerals, numerals.drop_nulls())
    if plain is None:
        return None
    factors = parts["factor"].str.to_lowercase().replace_strict(_FACTORS, default=1.0, return_dtype=pl.Float64)
    negative = parts["open"].str.contains(r"[-(]") | (parts["sign"] == "-")
    amounts = (plain.cast(pl.Float64) * factors).round(6)  # 0.57 million is 570000, not a hair less
    signed = pl.select(pl.when(negative).then(-amounts).otherwise(amounts).alias(text.name)).to_series()
    return Numbers("money" if currencies else "number", signed, currencies[0] if currencies else None)


def read_measured(text: pl.Series, present: pl.Series) -> Numbers | None:
    """Read numbers that all carry the same unit: 12 km, 5.5kg."""
    if not matches(present, _WITH_UNIT):
        return None
    parts = text.str.extract_groups(_WITH_UNIT).struct.unnest()
    written = parts["unit"].drop_nulls().str.strip_chars().str.to_lowercase().unique().sort().to_list()
    units = {unit_named(unit) for unit in written}
    close = bool((parts["gap"].drop_nulls() == "").any()) and any(len(unit) == 1 and unit.isalpha() for unit in written)
    if len(units) != 1 or None in units or close:
        return None
    plain = _plain(parts["numeral"], parts["numeral"].drop_nulls())
    return None if plain is None else Numbers("number", plain.cast(pl.Float64).alias(text.name), units.pop())


def _plain(text: pl.Series, present: pl.Series) -> pl.Series | None:
    """Return numerals rewritten with a decimal point and no groups; None when they have no common style."""
    text = text.str.strip_prefix("+")
    if matches(present, _ENGLISH) and not present.str.contains(r"^[+-]?$").any():
        return text.str.replace_all(",", "")
    if matches(present, _SPACED) and not (present.str.contains(",").any() and present.str.contains(r"\.").any()):
        varied = present.str.len_chars().n_unique() > 1 or present.str.contains(r"[.,]").any()
        proven = present.str.contains(rf"[{_GAP}]").any() or present.str.contains(_COMMA_PROVEN).any()
        return text.str.replace_all(f"[{_GAP}]", "").str.replace(",", ".") if varied and proven else None
    if matches(present, _CONTINENTAL) and present.str.contains(_COMMA_PROVEN).any():
        return text.str.replace_all(r"\.", "").str.replace(",", ".")
    return None
