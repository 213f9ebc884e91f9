"""Extraction: one recipe and one file become one typed table with a key, every lost row counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.errors import UsageError
from schemas.profiles import ColumnType, Origin
from schemas.themes import DerivedColumn, TableRecipe
from tasks.mining.columns.flags import as_flags
from tasks.mining.columns.inference import Inferred, infer_type, is_money
from tasks.mining.columns.naming import Named, name_columns, row_noun, unique_name
from tasks.mining.reading.raw import Repair
from tasks.mining.reading.tables import read_table
from tasks.mining.relations.keys import choose_key, composite_key, key_is_opaque
from tasks.mining.relations.labels import choose_label
from tasks.mining.stacking import read_parts

_UNNAMED = re.compile(r"(?:unnamed:?|column|field|_?duplicated)?[ _]*\d*", re.IGNORECASE)
"""A header that the file lacked, as readers fill it in."""


_DATE_PARTS = (("year",), ("month",), ("day", "date_of_month", "day_of_month", "mday"))


@dataclass(frozen=True)
class ExtractedTable:
    """A typed frame (key first) and what is said about it; the rows_ counts add up to rows_read.

    `words` and `units` are by column; `columns_left_out` and `repairs` are lines for people. An entity table
    was split off the table `split_from`. `origins` says of columns that were not read from a file where their values
    come from, and of which source they are borrowed; `places` of keys from which row of which harvested table.
    """

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
    rows_unreadable: int = 0
    rows_beyond_limit: int = 0
    columns_left_out: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    split_from: str | None = None
    origins: Mapping[str, tuple[Origin, str | None]] = field(default_factory=dict)
    places: Mapping[Any, tuple[str, int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.recipe.name


@dataclass(frozen=True)
class _Columns:
    """Typed columns by our name, and what was found out about them."""

    frame: pl.DataFrame
    types: dict[str, ColumnType]
    words: dict[str, str]
    units: dict[str, str]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def extract_table(recipe: TableRecipe, path: Path, parts: Mapping[str, Path] | None = None) -> ExtractedTable:
    """Read, name, type, derive, restrict to the recipe's ranges, and give every row a key.

    A row is out of range when a value is outside `keep` or null there; without key when its key is
    null or an earlier row has it. `parts` are the files of a table that is stacked from several, by the recipe's
    names for them. Raises Unreadable for a file that gives no table, UsageError for a recipe
    that does not fit it.
    """
    raw = read_parts(recipe, parts) if parts else read_table(path, recipe.member, recipe.discriminator)
    singular = recipe.singular or row_noun(recipe.name)
    typed = _typed(recipe, path, raw.frame, singular)
    columns, key, surrogate = _numbered(recipe, typed, singular, raw.frame.height)
    frame, types = columns.frame, columns.types
    _require(recipe, path, [key, *recipe.keep, *([recipe.label] if recipe.label else [])], frame.columns)
    in_range = _in_range(recipe, frame)
    keyed = in_range.filter(pl.col(key).is_not_null()).unique(key, keep="first", maintain_order=True)
    label = recipe.label or choose_label(keyed, types, key, singular)
    kept = [key, *(name for name in keyed.columns if name != key and name not in recipe.drop)]
    return ExtractedTable(
        recipe=recipe,
        singular=singular,
        plural=recipe.plural or recipe.name.replace("_", " "),
        frame=keyed.select(kept).sort(key),
        types={name: types[name] for name in kept},
        key=key,
        key_is_opaque=surrogate or _is_joined_code(recipe, key) or key_is_opaque(keyed, types, key, label),
        has_surrogate_key=surrogate,
        rows_out_of_range=frame.height - in_range.height,
        rows_without_key=in_range.height - keyed.height,
        rows_read=raw.rows_read,
        rows_unreadable=raw.rows_unreadable,
        rows_beyond_limit=raw.rows_beyond_limit,
        columns_left_out=columns.left_out,
        repairs=(*map(_told, raw.repairs), *columns.notes),
        words=columns.words,
        units=columns.units,
    )


def _numbered(recipe: TableRecipe, typed: _Columns, singular: str, rows: int) -> tuple[_Columns, str, bool]:
    """Return the columns, the key, and whether that is a number of ours, added behind them."""
    key = recipe.key or choose_key(typed.frame, typed.types, singular, by_values=not recipe.columns)
    if key is not None:
        plain = key == "id" and not recipe.columns and "id" not in recipe.words
        return (replace(typed, words={**typed.words, "id": f"{singular} id"}) if plain else typed), key, False
    key = unique_name(f"{singular.replace(' ', '_')}_id", typed.frame.columns)
    notes = typed.notes if recipe.columns else (*typed.notes, *_key_notes(typed.frame, typed.types, key))
    # Numbered before any row is left out, so that an id says where in the file its row stands.
    frame = typed.frame.with_columns(pl.int_range(1, rows + 1, dtype=pl.Int64).alias(key))
    return replace(typed, frame=frame, types={**typed.types, key: "integer"}, notes=notes), key, True


def _told(repair: Repair) -> str:
    rows = f" ({repair.rows} rows)" if repair.rows > 1 else ""
    return f"{repair.code}: {repair.detail}{rows}"


def _key_notes(frame: pl.DataFrame, types: dict[str, ColumnType], key: str) -> list[str]:
    parts = composite_key(frame, types)
    return [f"key: {' and '.join(parts)} together identify a row; {key} numbers the rows"] if parts else []


def _typed(recipe: TableRecipe, path: Path, text: pl.DataFrame, singular: str) -> _Columns:
    """Type and name the file's columns, and put the derived ones behind them."""
    if recipe.columns:
        return _derived(recipe, path, _chosen(recipe, path, text))
    return _dated(_derived(recipe, path, _named(recipe, text, singular)))


def _chosen(recipe: TableRecipe, path: Path, text: pl.DataFrame) -> _Columns:
    """Type the columns that the recipe selects, under its names."""
    _require(recipe, path, list(recipe.columns), text.columns)
    inferred = {ours: infer_type(text[theirs], recipe.nulls) for theirs, ours in recipe.columns.items()}
    return _columns(recipe, inferred, dict(recipe.words), ())


def _named(recipe: TableRecipe, text: pl.DataFrame, singular: str) -> _Columns:
    """Type all columns and name them by their headers; those without any value are left out."""
    every = {header: infer_type(text[header], recipe.nulls) for header in text.columns}
    left = {header: reason for header, found in every.items() if (reason := _reason_to_leave(header, found.values))}
    inferred = as_flags({header: found for header, found in every.items() if header not in left})
    numeric = [h for h, found in inferred.items() if found.type in ("integer", "number", "money")]
    said = _headers(inferred)
    named = {
        header: name
        for header, name in zip(said, name_columns([*said.values()], singular, numeric).values(), strict=True)
    }
    by_name = {named[header].name: _with_unit(found, named[header]) for header, found in inferred.items()}
    words = {naming.name: naming.words for naming in named.values()}
    return _columns(
        recipe,
        by_name,
        {**words, **recipe.words},
        tuple(f"{header or 'unnamed'}: {reason}" for header, reason in left.items()),
    )


def _reason_to_leave(header: str, values: pl.Series) -> str | None:
    """Return why a column says nothing: it has no value, or it only numbers the rows and has no name."""
    if len(values) > 0 and values.null_count() == len(values):
        return "empty"
    if values.dtype == pl.Int64 and len(values) > 1 and _UNNAMED.fullmatch(header.strip()):
        counted = values.diff().drop_nulls()
        if values.null_count() == 0 and values[0] in (0, 1) and bool((counted == 1).all()):
            return "row numbers"
    return None


def _headers(inferred: Mapping[str, Inferred]) -> dict[str, str]:
    """Return what each column is called: one without a header whose texts are all different is the rows' name."""
    said = {header: header for header in inferred}
    for header, found in inferred.items():
        unique = found.type == "text" and len(found.values) > 1 and found.values.n_unique() == len(found.values)
        if unique and _UNNAMED.fullmatch(header.strip()) and "name" not in {h.strip().lower() for h in said.values()}:
            said[header] = "name"
    return said


def _with_unit(found: Inferred, named: Named) -> Inferred:
    return Inferred(found.type, found.values, found.unit or named.unit, found.notes)


def _columns(
    recipe: TableRecipe, inferred: dict[str, Inferred], words: dict[str, str], left_out: tuple[str, ...]
) -> _Columns:
    columns: dict[str, pl.Series] = {}
    types: dict[str, ColumnType] = {}
    units: dict[str, str] = {}
    for name, found in inferred.items():
        unit = recipe.units.get(name, found.unit)
        is_amount = found.type in ("integer", "number") and is_money(name, unit)
        types[name] = "money" if is_amount else found.type
        columns[name] = (found.values.cast(pl.Float64) if is_amount else found.values).alias(name)
        if unit is not None:
            units[name] = unit
    notes = tuple(f"typing: {name}: {note}" for name, found in inferred.items() for note in found.notes)
    return _Columns(pl.DataFrame(list(columns.values())), types, words, units, left_out, notes)


def _derived(recipe: TableRecipe, path: Path, typed: _Columns) -> _Columns:
    """Return the columns with the derived ones behind them."""
    columns, types = {name: typed.frame[name] for name in typed.frame.columns}, dict(typed.types)
    for derived in recipe.derived:
        _require(recipe, path, derived.join, list(columns))
        found = infer_type(_joined(columns, derived), recipe.nulls)
        types[derived.name], columns[derived.name] = found.type, found.values
    frame = pl.DataFrame(list(columns.values()))
    units = {**typed.units, **{name: unit for name, unit in recipe.units.items() if name in types}}
    return _Columns(frame, types, typed.words, units, typed.left_out, typed.notes)


def _dated(typed: _Columns) -> _Columns:
    """Return the columns with a date behind those that give its year, month and day apart."""
    names = [next((n for n in spellings if typed.types.get(n) == "integer"), None) for spellings in _DATE_PARTS]
    if None in names or "date" in typed.types:
        return typed
    parts = {name: typed.frame[name] for name in names if name is not None}
    found = infer_type(_joined(parts, DerivedColumn(name="date", join=list(parts))))
    if found.type != "date":
        return typed
    frame = typed.frame.with_columns(found.values)
    return replace(typed, frame=frame, types={**typed.types, "date": "date"})


def _joined(columns: dict[str, pl.Series], derived: DerivedColumn) -> pl.Series:
    parts = pl.DataFrame({str(i): columns[name].cast(pl.String) for i, name in enumerate(derived.join)})
    joined = pl.concat_str(pl.all(), separator=derived.separator)
    part = joined if derived.pattern is None else joined.str.extract(derived.pattern)
    return parts.select(part.alias(derived.name)).to_series()


def _is_joined_code(recipe: TableRecipe, key: str) -> bool:
    """Return whether the key is a code joined from columns that no person knows; joined with a blank it is a name."""
    made = [column for column in recipe.derived if column.name == key]
    return any(column.pattern is None and " " not in column.separator for column in made)


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


def _require(recipe: TableRecipe, path: Path, wanted: Sequence[str], found: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise UsageError(
            f"table {recipe.name}: {path} has no column {', '.join(map(repr, missing))}; it has {', '.join(found)}. "
            "Mend the theme's recipe, then run again"
        )
