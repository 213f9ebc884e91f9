"""Extraction: one recipe and one file become one typed table with a key, every lost row counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from schemas.errors import UsageError
from schemas.profiles import ColumnType
from schemas.themes import DerivedColumn, TableRecipe
from tasks.mining.inference import infer_type, is_money
from tasks.mining.keys import choose_key, key_is_opaque
from tasks.mining.readers import read_records

_SINGULAR_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ss", "ss"),
    ("us", "us"),
)


@dataclass(frozen=True)
class ExtractedTable:
    """A typed frame (key first) and what the recipe says about it; the counts add up to what was read."""

    recipe: TableRecipe
    singular: str
    plural: str
    frame: pl.DataFrame
    types: dict[str, ColumnType]
    key: str
    key_is_opaque: bool
    has_surrogate_key: bool
    rows_read: int
    rows_out_of_range: int
    rows_without_key: int

    @property
    def name(self) -> str:
        """The table's name."""
        return self.recipe.name


def extract_table(recipe: TableRecipe, path: Path) -> ExtractedTable:
    """Read, type, derive, restrict to the recipe's ranges, and give every row a key.

    A row is out of range when a value is outside `keep` or null there; without key when its key is
    null or an earlier row has it.
    """
    text = _select_columns(recipe, path, read_records(path, recipe.member, recipe.discriminator))
    singular = recipe.singular or singular_of(recipe.name).replace("_", " ")
    frame, types = _typed(recipe, path, text)
    key = recipe.key or choose_key(frame, types, singular)
    surrogate = key is None
    if key is None:
        key = f"{singular.replace(' ', '_')}_id"
        types[key] = "integer"
        # Numbered before any row is left out, so that an id says where in the file its row stands.
        frame = frame.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(key))
    _require(recipe, path, [key, *recipe.keep, *([recipe.label] if recipe.label else [])], frame.columns)
    in_range = _in_range(recipe, frame)
    keyed = in_range.filter(pl.col(key).is_not_null()).unique(key, keep="first", maintain_order=True)
    kept = [key, *(name for name in keyed.columns if name != key and name not in recipe.drop)]
    return ExtractedTable(
        recipe=recipe,
        singular=singular,
        plural=recipe.plural or recipe.name.replace("_", " "),
        frame=keyed.select(kept).sort(key),
        types={name: types[name] for name in kept},
        key=key,
        key_is_opaque=key not in text.columns or key_is_opaque(keyed, types, key, recipe.label),
        has_surrogate_key=surrogate,
        rows_read=text.height,
        rows_out_of_range=text.height - in_range.height,
        rows_without_key=in_range.height - keyed.height,
    )


def singular_of(plural: str) -> str:
    """Return the likely singular of a plural noun: 'categories' → 'category', 'boxes' → 'box'."""
    for ending, replacement in _SINGULAR_ENDINGS:
        if plural.endswith(ending):
            return plural[: -len(ending)] + replacement
    return plural[:-1] if plural.endswith("s") and len(plural) > 1 else plural


def snake_case(name: str) -> str:
    """Return a column name in snake_case: 'UnitPrice (USD)' → 'unit_price_usd'."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", name.strip())
    return re.sub(r"\W+", "_", words).strip("_").lower() or "column"


def _select_columns(recipe: TableRecipe, path: Path, text: pl.DataFrame) -> pl.DataFrame:
    if recipe.columns:
        _require(recipe, path, list(recipe.columns), text.columns)
        return text.select(pl.col(theirs).alias(ours) for theirs, ours in recipe.columns.items())
    names: dict[str, str] = {}
    for theirs in text.columns:
        base = ours = snake_case(theirs)
        number = 2
        while ours in names.values():
            ours, number = f"{base}_{number}", number + 1
        names[theirs] = ours
    return text.rename(names)


def _typed(recipe: TableRecipe, path: Path, text: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, ColumnType]]:
    """Return the columns typed, and the derived ones behind them."""
    columns: dict[str, pl.Series] = {}
    types: dict[str, ColumnType] = {}
    for name in text.columns:
        found, values = infer_type(text[name])
        if found in ("integer", "number") and is_money(name, recipe.units.get(name)):
            found, values = "money", values.cast(pl.Float64)
        types[name], columns[name] = found, values.alias(name)
    for derived in recipe.derived:
        _require(recipe, path, derived.join, list(columns))
        types[derived.name], columns[derived.name] = infer_type(_joined(columns, derived))
    return pl.DataFrame(list(columns.values())), types


def _joined(columns: dict[str, pl.Series], derived: DerivedColumn) -> pl.Series:
    parts = pl.DataFrame({str(i): columns[name].cast(pl.String) for i, name in enumerate(derived.join)})
    return parts.select(pl.concat_str(pl.all(), separator=derived.separator).alias(derived.name)).to_series()


def _in_range(recipe: TableRecipe, frame: pl.DataFrame) -> pl.DataFrame:
    ranges = []
    for name, bounds in recipe.keep.items():
        wants_text = frame[name].dtype == pl.String
        if any(isinstance(bound, str) != wants_text for bound in bounds):
            raise UsageError(
                f"table {recipe.name}: the range {list(bounds)} of {name} does not fit {frame[name].dtype} values. "
                "Mend `keep` in the theme's recipe, then run again"
            )
        ranges.append(pl.col(name).is_between(pl.lit(bounds[0]), pl.lit(bounds[1])))
    return frame.filter(pl.all_horizontal(ranges)) if ranges else frame


def _require(recipe: TableRecipe, path: Path, wanted: list[str], found: list[str]) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise UsageError(
            f"table {recipe.name}: {path} has no column {', '.join(map(repr, missing))}; it has {', '.join(found)}. "
            "Mend the theme's recipe, then run again"
        )
